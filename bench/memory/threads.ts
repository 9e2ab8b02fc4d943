import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../test/support/servers/redis.ts";
import type { Order } from "../load/client.ts";
import { pinned, reachable } from "../load/process.ts";
import { MEASURED_CORE, type Rig } from "../load/rig.ts";
import { shapes } from "../load/turns.ts";
import { wrongOf } from "../overhead/wrong-answers.ts";
import { type Reading, type Readings, readings } from "../readings/readings.ts";

/** Where a server keeps its live threads. */
export interface Keeping {
  readonly title: string;
  /** How many of their steps as cached threads; undefined: as it ships. */
  readonly threadCacheSteps: number | undefined;
  /** What the store takes at most. */
  readonly storeBytes: number;
}

/** In bytes. */
const [LEAST, ALL] = [1_048_576, 4_000_000_000];

export const keepings = {
  none: { title: "none is kept: the load alone", threadCacheSteps: 0, storeBytes: LEAST },
  shipped: { title: "as it ships", threadCacheSteps: undefined, storeBytes: ALL },
  store: { title: "all in the memory store, no cached threads", threadCacheSteps: 0, storeBytes: ALL },
  cached: { title: "all as cached threads", threadCacheSteps: 1_000_000_000, storeBytes: ALL },
} satisfies Record<string, Keeping>;

/** The same process, with few threads and with many. */
export interface Weighed {
  readonly before: Reading;
  readonly after: Reading;
  readonly threads: number;
}

const REQUESTS = 10;
const AGENTS = 16;
/** Runs before the first reading: code that is compiled, connections that are open. They stay, and do not count. */
const WARM_UP_RUNS = 480;

const SETTLING_MS = 4_000;

const dist = (file: string) => resolve(import.meta.dirname, "../../dist", file);

/** What threads cost, each of which stopped after its tenth request. @param threads a multiple of the agents */
export async function weigh(rig: Rig, { threadCacheSteps, storeBytes }: Keeping, threads: number): Promise<Weighed> {
  const reader = readings();
  const port = await freePort();
  const program =
    threadCacheSteps === undefined
      ? [dist("cli/cli.js"), "serve"]
      : [resolve(import.meta.dirname, "serve.mjs"), String(threadCacheSteps)];
  const env = {
    UNLOOP_PORT: String(port),
    UNLOOP_UPSTREAM: `http://127.0.0.1:${rig.upstreamPort}`,
    UNLOOP_SECRET: "the secret of this benchmark",
    UNLOOP_STORE_BYTES: String(storeBytes),
  };
  const server = pinned([...reader.flags, ...program], { core: MEASURED_CORE, env });
  try {
    await reachable(port, server);
    await rig.answer({ shape: shapes.small, delayMs: 0, pace: "together" });
    await play(rig, port, WARM_UP_RUNS);
    const before = await settled(reader, server.pid);
    await play(rig, port, threads);
    return { before, after: await settled(reader, server.pid), threads };
  } finally {
    await server.stop();
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

async function play(rig: Rig, port: number, runs: number): Promise<void> {
  const order: Order = {
    crew: `${port} ${runs}`,
    address: { port, headers: {}, isExact: true },
    play: { shape: shapes.small, stream: false, from: 0, to: REQUESTS - 1 },
    agents: AGENTS,
    isStaggered: false,
    load: { kind: "requests", each: (runs / AGENTS) * REQUESTS },
    watched: [],
  };
  const report = await rig.play(order);
  if (wrongOf([report]) > 0) throw new Error(`${JSON.stringify(report.wrong)} of ${report.answered} answers`);
}
