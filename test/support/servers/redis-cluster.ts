import { createServer } from "node:net";
import { once } from "node:events";
import { eventually, freePort, type RedisServer, startRedis } from "./redis.ts";

export interface RedisCluster {
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;

/** A real cluster of so many masters, each with its share of the slots. */
export async function startCluster(size: number): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  for (let i = 0; i < size; i += 1) nodes.push(await startNode());
  const share = Math.ceil(SLOTS / size);
  await Promise.all(
    nodes.map(async ({ admin }, i) => {
      const first = i * share;
      const slots = Array.from({ length: Math.min(share, SLOTS - first) }, (_, slot) => first + slot);
      await admin.cluster("ADDSLOTS", slots);
      await admin.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
    }),
  );
  const [first, ...others] = nodes;
  for (const { port } of others) await first?.admin.call("CLUSTER", "MEET", "127.0.0.1", port);
  await eventually("all nodes know each other", async () => {
    const told = await Promise.all(nodes.map(async ({ admin }) => String(await admin.call("CLUSTER", "INFO"))));
    return told.every((info) => /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${size}`));
  });
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function startNode(): Promise<RedisServer> {
  const port = await portWithBus();
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  return startRedis({ port, args });
}

/** The nodes of a cluster talk to each other on a second port, 10,000 above the first. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_535 && (await isFree(port + 10_000))) return port;
    const lower = 10_000 + (port % 20_000);
    if ((await isFree(lower)) && (await isFree(lower + 10_000))) return lower;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    // Somebody has it.
    return false;
  } finally {
    server.close();
  }
}
