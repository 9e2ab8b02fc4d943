import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { eventually, freePort, run } from "./redis.ts";

export interface Sentinel {
  readonly port: number;
  /** Resolves once it could promote somebody. */
  knowsReplica(): Promise<void>;
  promoted(port: number): Promise<void>;
  stop(): Promise<void>;
}

/** A real sentinel that decides alone, and soon. */
export async function startSentinel(masterPort: number, name: string): Promise<Sentinel> {
  const folder = mkdtempSync(join(tmpdir(), "unloop-sentinel-"));
  const port = await freePort();
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${name} 300`,
    `sentinel failover-timeout ${name} 2000`,
  ];
  const file = join(folder, "sentinel.conf");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const server = run([file, "--sentinel"], folder);
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  await Promise.race([client.ping(), server.failed]);
  return {
    port,
    knowsReplica: () =>
      eventually("the sentinel knows a replica in good order", async () => {
        const replicas = await client.call("SENTINEL", "REPLICAS", name);
        return JSON.stringify(replicas).includes('"master-link-status","ok"');
      }),
    promoted: (newPort) =>
      eventually("the sentinel promoted the replica", async () => {
        const address = await client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name);
        return Array.isArray(address) && address[1] === String(newPort);
      }),
    async stop() {
      client.disconnect();
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
