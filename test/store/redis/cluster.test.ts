import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { redisStores } from "../../../src/store/redis/redis.ts";
import type { SessionKey, ThreadKey } from "../../../src/store/store.ts";
import { storesContract } from "../../contracts/stores.ts";
import { freePort } from "../../support/servers/http.ts";
import { age, type RedisServer, startRedis } from "../../support/servers/redis.ts";
import { eventually, storesOfTest } from "./rig.ts";

const SLOTS = 16_384;
const SIZE = 3;

/** The nodes of a cluster talk to each other on a second port, 10,000 above the first. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = 10_000 + ((await freePort()) % 20_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const isListening = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return isListening;
}

let nodes: readonly RedisServer[] = [];
const urlOf = (prefix: string) =>
  `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}?prefix=${prefix}`;

beforeAll(async () => {
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  for (let i = 0; i < SIZE; i += 1) nodes = [...nodes, await startRedis({ port: await portWithBus(), args })];
  const share = Math.ceil(SLOTS / SIZE);
  await Promise.all(
    nodes.map(async ({ admin }, i) => {
      const count = Math.min(share, SLOTS - i * share);
      await admin.cluster(
        "ADDSLOTS",
        Array.from({ length: count }, (_, slot) => i * share + slot),
      );
      await admin.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
    }),
  );
  for (const { port } of nodes.slice(1)) await nodes[0]?.admin.call("CLUSTER", "MEET", "127.0.0.1", port);
  await eventually("all nodes know each other", async () => {
    const told = await Promise.all(nodes.map(async ({ admin }) => String(await admin.call("CLUSTER", "INFO"))));
    return told.every((info) => /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${SIZE}`));
  });
}, 120_000);
afterAll(() => Promise.all(nodes.map((node) => node.stop())));

storesContract("a Redis Cluster", async (prefix, journalCapacity) => {
  const stores = redisStores({ url: urlOf(prefix), journalCapacity });
  await stores.whenReady(5_000);
  const advance = async (ms: number) => {
    for (const { admin } of nodes) await age(admin, prefix, ms);
  };
  return { stores, advance };
});

it("a cluster spreads the sessions over the nodes, and keeps what belongs to one together", async () => {
  const { sessions, counters } = await storesOfTest({ url: urlOf("spread:") });
  for (let i = 0; i < 60; i += 1) {
    await sessions.write(`s${i}.main` as ThreadKey, "{}", 0, 60_000);
    await sessions.write(`s${i}.helper` as ThreadKey, "{}", 0, 60_000);
    await counters.add(`s${i}` as SessionKey, { steps: 1 }, 60_000);
  }
  const kept = await Promise.all(nodes.map(({ admin }) => admin.keys("spread:*")));
  expect(kept.flat()).toHaveLength(180);
  for (const keys of kept) {
    expect(keys.length).toBeGreaterThan(0);
    const names = keys.map((key) => /\{(s\d+)\}/.exec(key)?.[1]);
    for (const name of names) expect(names.filter((other) => other === name)).toHaveLength(3);
  }
});

it("a cluster needs one node of those in its URL to be there, and finds a node again that was away", async () => {
  const [first, other] = nodes;
  const { sessions } = await storesOfTest({ url: `redis+cluster://127.0.0.1:1,127.0.0.1:${other?.port}` });
  const read = () => Promise.all(Array.from({ length: 20 }, (_, i) => sessions.read(`s${i}.t` as ThreadKey)));
  await read();
  await first?.kill();
  await expect(read()).rejects.toThrow("Redis");
  await first?.start();
  await eventually("the whole cluster answers again", async () => (await read()).length === 20);
});
