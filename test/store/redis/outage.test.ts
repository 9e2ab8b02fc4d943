import { describe, expect, it, onTestFinished } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { resilient } from "../../../src/store/resilient/resilient.ts";
import type { SessionKey, Stores, ThreadKey } from "../../../src/store/store.ts";
import { delayProxy } from "../../support/servers/delay-proxy.ts";
import { eventually, redisOfTest, storesOfTest } from "./rig.ts";

const key = "s.t" as ThreadKey;
const DEADLINE_MS = 50;
/** What a machine that does other things too may add; far below what ioredis waits by itself. */
const NOISE_MS = 2_000;

async function rig() {
  const server = await redisOfTest();
  const { port, stop, delay } = await delayProxy(server.port);
  onTestFinished(stop);
  const redis = await storesOfTest({ url: `redis://127.0.0.1:${port}` });
  const changes: string[] = [];
  const stores = resilient(redis, { deadlineMs: DEADLINE_MS, onChange: (state) => changes.push(state) });
  await redis.sessions.write(key, "kept", 0, 600_000);
  return { ...server, stores, changes, late: delay };
}

async function expectUnavailable({ sessions, counters, journal }: Stores): Promise<void> {
  const start = performance.now();
  for (const command of [
    sessions.read(key),
    counters.add("s" as SessionKey, { steps: 1 }, 600_000),
    journal.page(1),
  ].map((one) => expect(one).rejects.toMatchObject({ code: "store_unavailable" })))
    await command;
  expect(performance.now() - start).toBeLessThan(DEADLINE_MS + NOISE_MS);
}

type Rig = Awaited<ReturnType<typeof rig>>;

describe("a Redis behind resilient", { timeout: 120_000 }, () => {
  it.each<{ name: string; begin: (rig: Rig) => unknown; end: (rig: Rig) => unknown; kept: string | undefined }>([
    { name: "stopped", begin: ({ freeze }) => freeze(), end: ({ thaw }) => thaw(), kept: "kept" },
    { name: "killed", begin: ({ kill }) => kill(), end: ({ start }) => start(), kept: undefined },
    { name: "200 ms late", begin: ({ late }) => late(200), end: ({ late }) => late(0), kept: "kept" },
  ])("that is $name keeps nobody waiting, and is found again", async ({ begin, end, kept }) => {
    const made = await rig();
    await begin(made);
    for (let round = 0; round < 20; round += 1) await expectUnavailable(made.stores);
    expect(made.changes).toEqual(["open"]);
    await end(made);
    const read = () => made.stores.sessions.read(key);
    await eventually("the store answers again", () => read().then(() => true));
    expect([(await read())?.json, made.changes]).toEqual([kept, ["open", "closed"]]);
  });

  it("that was never there does not keep anybody from starting or ending", async () => {
    const stores = resilient(redisStores({ url: "redis://127.0.0.1:1" }), { deadlineMs: DEADLINE_MS });
    await expectUnavailable(stores);
    await expect(stores.sessions.close()).resolves.toBeUndefined();
  });
});
