import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startRig, type Rig } from "./load/rig.ts";
import { shapes } from "./load/turns.ts";
import { table } from "./report/markdown.ts";
import { type Running, startUnloop } from "./overhead/targets.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";
import { type Reading, type Readings, readings } from "./readings/readings.ts";

/** What live sessions take of the server's memory: `--threads 10000` that each stopped at their tenth request. */
const { values } = parseArgs({ options: { threads: { type: "string", default: "10000" } } });

const AGENTS = 16;
const REQUESTS = 10;
/** Runs before the first reading: code that is compiled, connections that are open. They stay, and do not count. */
const WARM_UP_RUNS = 480;
const SETTLING_MS = 4_000;

const rig = await startRig();
try {
  await rig.answer({ shape: shapes.small, delayMs: 0, pace: "together" });
  console.log(await threadsText(rig));
} finally {
  await rig.stop();
}

async function play(rig: Rig, { address }: Running, sessions: number, requests: number): Promise<void> {
  const report = await rig.play({
    crew: `${address.port} ${sessions} ${requests}`,
    address,
    play: { shape: shapes.small, stream: false, from: 0, to: requests - 1 },
    agents: AGENTS,
    isStaggered: false,
    load: { kind: "requests", each: Math.ceil(sessions / AGENTS) * requests },
    watched: [],
  });
  if (wrongOf([report]) > 0) throw new Error(`${JSON.stringify(report.wrong)} of ${report.answered} answers`);
}

async function threadsText(rig: Rig): Promise<string> {
  const reader = readings();
  const threads = Number(values.threads);
  const env = { UNLOOP_STORE_BYTES: "4000000000" };
  const running = await startUnloop(rig.upstreamPort, { flags: reader.flags, env });
  try {
    await play(rig, running, WARM_UP_RUNS, REQUESTS);
    const before = await settled(reader, running.pid ?? 0);
    await play(rig, running, threads, REQUESTS);
    const after = await settled(reader, running.pid ?? 0);
    const held = ({ heapMb, externalMb }: Reading) => heapMb + externalMb;
    const each = ((held(after) - held(before)) * 1_024) / threads;
    const cells = [held(before), held(after), before.rssMb, after.rssMb].map((mb) => mb.toFixed(0));
    const head = ["heap before", "heap after", "resident before", "resident after", "KB of heap a thread"];
    const title = `${threads} threads of ${REQUESTS} requests (20 messages, 16 KB), MB after all garbage was collected`;
    return `${title}\n\n${table(head, [[...cells, each.toFixed(1)]])}`;
  } finally {
    await running.stop();
    reader.end();
  }
}

/** V8 gives back what a collection has freed with those after it, some seconds later. */
async function settled(reader: Readings, pid: number): Promise<Reading> {
  for (let collection = 0; collection < 4; collection += 1) {
    await reader.read(pid);
    await pause(SETTLING_MS);
  }
  return reader.read(pid);
}
