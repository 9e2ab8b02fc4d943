import { afterEach, describe, expect, it } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import { agent, verdictsOf } from "../../proxy/agent.ts";
import { guardRig } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { type RedisServer, startRedis } from "../../support/servers/redis.ts";
import { startSentinel } from "../../support/servers/redis-sentinel.ts";

const ending: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A guard on a master with a replica, found through a sentinel. */
async function rig() {
  const master = await startRedis();
  ending.push(master.stop);
  const replica = await startRedis({ args: ["--replicaof", `127.0.0.1 ${master.port}`] });
  ending.push(replica.stop);
  const sentinel = await startSentinel(master.port, "mymaster");
  ending.push(sentinel.stop);
  await sentinel.knowsReplica();
  const stores = redisStores({ url: `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/mymaster` });
  ending.push(stores.sessions.close);
  await stores.whenReady(10_000);
  const guard = await guardRig(looping("nothing"), { stores, storeDeadlineMs: 200 });
  return { master, replica, sentinel, stores, run: agent({ url: guard.url, upstream: guard.upstream }) };
}

type Rig = Awaited<ReturnType<typeof rig>>;

const faults: readonly {
  readonly name: string;
  readonly begin: (rig: Rig) => unknown;
  readonly isPromoted: boolean;
}[] = [
  { name: "its master is killed", begin: ({ master }) => master.kill(), isPromoted: true },
  { name: "its sentinel is gone", begin: ({ sentinel }) => sentinel.stop(), isPromoted: false },
];

const keysOf = (server: RedisServer) => server.admin.keys("unloop:*");

describe("a run over a Redis with sentinels", { timeout: 120_000 }, () => {
  it.each(faults)(
    "goes on, and its loop is ended, where $name after its second turn",
    async ({ begin, isPromoted }) => {
      const made = await rig();
      const { run, replica, sentinel, stores } = made;
      const before = await run.turns(2);
      await begin(made);
      const turns = [...before, ...(await run.turns(5))];
      expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
      // What a request tells itself ends the loop at the same turn; the store's absence is said where nothing else is.
      const verdicts = verdictsOf(turns).map((verdict) => (verdict === "degraded" ? "ok" : verdict));
      expect(verdicts).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
      if (!isPromoted) return;
      await sentinel.promoted(replica.port);
      await stores.whenReady(20_000);
      await expect.poll(() => stores.whenReady(1_000), { timeout: 20_000 }).toBe(true);
      expect(verdictsOf(await run.turns(1))).toEqual(["short-circuit"]);
      expect((await keysOf(replica)).length).toBeGreaterThan(0);
    },
  );
});
