import { afterEach, describe, expect, it } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { resilient } from "../../../src/store/resilient/resilient.ts";
import type { SessionKey, Stores, ThreadKey } from "../../../src/store/store.ts";
import { delayProxy } from "../../support/servers/delay-proxy.ts";
import { eventually, type RedisServer, startRedis } from "../../support/servers/redis.ts";

const key = "s.t" as ThreadKey;
const DEADLINE_MS = 50;
/** What a machine that does other things too may add; far below what ioredis waits by itself. */
const NOISE_MS = 2_000;

const ending: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Rig {
  readonly server: RedisServer;
  readonly stores: Stores;
  readonly changes: readonly string[];
  late(ms: number): void;
}

async function rig(deadlineMs = DEADLINE_MS): Promise<Rig> {
  const server = await startRedis();
  ending.push(server.stop);
  const proxy = await delayProxy(server.port);
  ending.push(proxy.stop);
  const redis = redisStores({ url: `redis://127.0.0.1:${proxy.port}` });
  ending.push(redis.sessions.close);
  await redis.whenReady(5_000);
  const changes: string[] = [];
  const onChange = (state: string) => changes.push(state);
  const stores = resilient(redis, { deadlineMs, onChange });
  await redis.sessions.write(key, "kept", 0, 600_000);
  return { server, stores, changes, late: proxy.delay };
}

interface Outcome {
  readonly waitedMs: number;
  readonly gave: string;
}

/** One command of each kind, and how long each kept its caller waiting. */
function askAll({ sessions, counters, journal }: Stores): Promise<readonly Outcome[]> {
  const commands: (() => Promise<unknown>)[] = [
    () => sessions.read(key),
    () => counters.add("s" as SessionKey, { steps: 1 }, 600_000),
    () => journal.page(1),
  ];
  return Promise.all(
    commands.map(async (command) => {
      const start = performance.now();
      const gave = await command().then(
        () => "answer",
        (error: { code?: string }) => error.code ?? "no code",
      );
      return { waitedMs: performance.now() - start, gave };
    }),
  );
}

const outages: readonly {
  readonly name: string;
  readonly begin: (rig: Rig) => unknown;
  readonly end: (rig: Rig) => unknown;
  readonly kept: string | undefined;
}[] = [
  { name: "stopped", begin: ({ server }) => server.freeze(), end: ({ server }) => server.thaw(), kept: "kept" },
  { name: "killed", begin: ({ server }) => server.kill(), end: ({ server }) => server.start(), kept: undefined },
  { name: "200 ms late", begin: ({ late }) => late(200), end: ({ late }) => late(0), kept: "kept" },
];

describe("a Redis behind resilient", { timeout: 120_000 }, () => {
  it.each(outages)("that is $name keeps nobody waiting, and is found again", async ({ begin, end, kept }) => {
    const made = await rig();
    const { stores, changes } = made;
    await begin(made);
    for (let round = 0; round < 20; round += 1) {
      for (const { waitedMs, gave } of await askAll(stores)) {
        expect(gave).toBe("store_unavailable");
        expect(waitedMs).toBeLessThan(DEADLINE_MS + NOISE_MS);
      }
    }
    expect(changes).toEqual(["open"]);
    await end(made);
    await eventually("the store answers again", async () => {
      await stores.sessions.read(key);
      return true;
    });
    expect((await stores.sessions.read(key))?.json).toBe(kept);
    expect(changes).toEqual(["open", "closed"]);
  });

  it("that was never there does not keep anybody from starting or ending", async () => {
    const redis = redisStores({ url: "redis://127.0.0.1:1" });
    const stores = resilient(redis, { deadlineMs: DEADLINE_MS });
    for (const { waitedMs, gave } of await askAll(stores)) {
      expect(gave).toBe("store_unavailable");
      expect(waitedMs).toBeLessThan(DEADLINE_MS + NOISE_MS);
    }
    await expect(stores.sessions.close()).resolves.toBeUndefined();
  });
});
