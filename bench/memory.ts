import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Redis } from "ioredis";
import { startRedis } from "../test/support/servers/redis.ts";
import { startRig, type Rig } from "./load/rig.ts";
import { shapes } from "./load/turns.ts";
import { table } from "./overhead/markdown.ts";
import { type Running, startUnloop } from "./overhead/targets.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";
import { type Reading, type Readings, readings } from "./readings/readings.ts";

/**
 * What live sessions take: of the server's memory, for `--threads 10000` that each stopped at their tenth request, and in Redis, for
 * sessions of 1, 5 and 20 requests. `--only threads` or `--only redis`.
 */
const { values } = parseArgs({ options: { threads: { type: "string", default: "10000" }, only: { type: "string" } } });

const AGENTS = 16;
const REQUESTS = 10;
/** Runs before the first reading: code that is compiled, connections that are open. They stay, and do not count. */
const WARM_UP_RUNS = 480;
const SETTLING_MS = 4_000;
/** So many that sets and hashes of all sessions have their usual form. */
const SESSIONS = 1_024;

const parts: Readonly<Record<string, (rig: Rig) => Promise<string>>> = { threads: threadsText, redis: redisText };
const rig = await startRig();
try {
  await rig.answer({ shape: shapes.small, delayMs: 0, pace: "together" });
  for (const [name, text] of Object.entries(parts))
    if ((values.only ?? name) === name) console.log(`${await text(rig)}\n`);
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

/** What a session leaves that nothing names, once the server has written all and stopped. In bytes. */
async function redisText(rig: Rig): Promise<string> {
  const rows: string[][] = [];
  for (const requests of [1, 5, 20]) {
    const redis = await startRedis();
    try {
      const before = await usedBytes(redis.admin);
      const env = { REDIS_URL: redis.url, UNLOOP_STORE_DEADLINE_MS: "2000" };
      const running = await startUnloop(rig.upstreamPort, { env, folder: resolve(import.meta.dirname, "..") });
      await play(rig, running, SESSIONS, requests).finally(running.stop);
      const keys = await redis.admin.dbsize();
      const bytes = (await usedBytes(redis.admin)) - before;
      rows.push([String(requests), (keys / SESSIONS).toFixed(1), String(Math.round(bytes / SESSIONS))]);
    } finally {
      await redis.stop();
    }
  }
  return `What a session leaves in Redis\n\n${table(["requests", "keys", "bytes used by Redis"], rows)}`;
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]);
}
