import { resolve } from "node:path";
import type { Redis } from "ioredis";
import { eventually, freePort, startRedis } from "../../test/support/servers/redis.ts";
import { pinned, reachable } from "../load/process.ts";
import { MEASURED_CORE, type Rig } from "../load/rig.ts";
import { shapes } from "../load/turns.ts";
import { wrongOf } from "../overhead/wrong-answers.ts";

/** What a session leaves in Redis, by kind of key. In bytes as `MEMORY USAGE` tells them, but for `total`. */
export interface Kept {
  readonly requests: number;
  readonly bytes: ReadonlyMap<Kind, number>;
  /** By how much a session makes the memory that Redis uses grow. */
  readonly total: number;
}

export const kinds = [
  "ledger",
  "ledger without a step",
  "alias",
  "run name",
  "entry",
  "place in the index",
  "other",
] as const;
export type Kind = (typeof kinds)[number];

/** So many that sets and hashes of all sessions have their usual form. */
const SESSIONS = 1_024;
const AGENTS = 8;
const PREFIX = "unloop:";

/** What sessions of so many requests leave that nothing names, once the server has written all and stopped. */
export async function kept(rig: Rig, requests: number): Promise<Kept> {
  const redis = await startRedis();
  try {
    const before = await usedBytes(redis.admin);
    await played(rig, redis.url, requests);
    const total = ((await usedBytes(redis.admin)) - before) / SESSIONS;
    return { requests, bytes: await byKind(redis.admin), total };
  } finally {
    await redis.stop();
  }
}

async function played(rig: Rig, redis: string, requests: number): Promise<void> {
  const port = await freePort();
  const server = pinned([resolve(import.meta.dirname, "../../dist/cli/cli.js"), "serve"], {
    core: MEASURED_CORE,
    env: {
      UNLOOP_PORT: String(port),
      UNLOOP_UPSTREAM: `http://127.0.0.1:${rig.upstreamPort}`,
      UNLOOP_SECRET: "the secret of this benchmark",
      UNLOOP_STORE_DEADLINE_MS: "2000",
      REDIS_URL: redis,
    },
  });
  const shape = { ...shapes.small, turns: requests };
  try {
    await reachable(port, server);
    await eventually("the server is ready", async () => (await fetch(`http://127.0.0.1:${port}/unloop/readyz`)).ok);
    await rig.answer({ shape, delayMs: 0, pace: "together" });
    const report = await rig.play({
      crew: `${port}`,
      address: { port, headers: {}, isExact: true },
      play: { shape, stream: false, from: 0, to: requests - 1 },
      agents: AGENTS,
      isStaggered: false,
      load: { kind: "requests", each: (SESSIONS / AGENTS) * requests },
      watched: [],
    });
    if (wrongOf([report]) > 0) throw new Error(`${JSON.stringify(report.wrong)} of ${report.answered} answers`);
  } finally {
    await server.stop();
  }
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]);
}

async function byKind(redis: Redis): Promise<ReadonlyMap<Kind, number>> {
  const bytes = new Map<Kind, number>();
  for (const key of await redis.keys("*")) {
    const kind = await kindOf(redis, key.slice(PREFIX.length), key);
    const own = Number(await redis.memory("USAGE", key, "SAMPLES", 0));
    bytes.set(kind, (bytes.get(kind) ?? 0) + own / SESSIONS);
  }
  return bytes;
}

async function kindOf(redis: Redis, name: string, key: string): Promise<Kind> {
  if (name.startsWith("directory:")) return "entry";
  if (name.startsWith("{directory}")) return "place in the index";
  if (!name.startsWith("{")) return "other";
  if (name.endsWith("/name")) return "run name";
  if (name.endsWith("/alias")) return "alias";
  const text = (await redis.get(key)) ?? "";
  return /"w":\[\](?!,"x")/.test(text) ? "ledger without a step" : "ledger";
}
