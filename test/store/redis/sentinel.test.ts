import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Redis } from "ioredis";
import { expect, it, onTestFinished } from "vitest";
import { files } from "../../cli/command.ts";
import { agent, verdictsOf, climb, guardRig } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { freePort } from "../../support/servers/http.ts";
import { run } from "../../support/servers/redis.ts";
import { eventually, redisOfTest, storesOfTest } from "./rig.ts";

async function sentinelOf(masterPort: number, name: string) {
  const port = await freePort();
  const { "sentinel.conf": file } = files({ "sentinel.conf": "" });
  const lines = [
    ...[`port ${port}`, "bind 127.0.0.1", `dir ${dirname(file)}`],
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${name} 300`,
    `sentinel failover-timeout ${name} 2000`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const server = run([file, "--sentinel"], dirname(file));
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  await Promise.race([client.ping(), server.failed]);
  const stop = async () => {
    client.disconnect();
    await server.kill();
  };
  onTestFinished(stop);
  const says = async (question: string) => JSON.stringify(await client.call("SENTINEL", question, name));
  return { port, stop, says };
}

it.each([
  { name: "its master is killed", isPromoted: true },
  { name: "its sentinel is gone", isPromoted: false },
])(
  "a run over a Redis with sentinels goes on, and its loop is ended, where $name after its second turn",
  {
    timeout: 120_000,
  },
  async ({ isPromoted }) => {
    const master = await redisOfTest();
    const replica = await redisOfTest({ args: ["--replicaof", `127.0.0.1 ${master.port}`] });
    const { port, stop, says } = await sentinelOf(master.port, "mymaster");
    await eventually("the sentinel knows a replica in good order", async () =>
      (await says("REPLICAS")).includes('"master-link-status","ok"'),
    );
    const stores = await storesOfTest({ url: `redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/mymaster` }, 10_000);
    const going = agent(await guardRig(looping("nothing"), { stores, storeDeadlineMs: 200 }));
    const before = await going.turns(2);
    await (isPromoted ? master.kill() : stop());
    const turns = [...before, ...(await going.turns(5))];
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    // What a request tells itself ends the loop at the same turn; the store's absence is said where nothing else is.
    expect(verdictsOf(turns).map((verdict) => (verdict === "degraded" ? "ok" : verdict))).toEqual(climb);
    if (!isPromoted) return;
    await eventually("the sentinel promoted the replica", async () =>
      (await says("GET-MASTER-ADDR-BY-NAME")).includes(`"${replica.port}"`),
    );
    await expect.poll(() => stores.whenReady(1_000), { timeout: 20_000 }).toBe(true);
    expect(verdictsOf([await going.turn()])).toEqual(["short-circuit"]);
    expect((await replica.admin.keys("unloop:*")).length).toBeGreaterThan(0);
  },
);
