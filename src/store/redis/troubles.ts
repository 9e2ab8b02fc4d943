import { Cluster, type Redis } from "ioredis";
import type { Pace } from "./pace.ts";

/** Something about a Redis that serves, and loses or delays what it should not. */
export interface RedisTrouble {
  /** One of few. */
  readonly name: string;
  /** What it is, and the cure. */
  readonly sentence: string;
}

type Info = ReadonlyMap<string, string>;

const troubles: readonly (RedisTrouble & { readonly isIn: (info: Info) => boolean })[] = [
  {
    name: "evicts-all",
    sentence:
      "Redis may evict operators' orders and the journal (maxmemory-policy allkeys-…). Set maxmemory-policy volatile-ttl.",
    isIn: (info) => limitOf(info) > 0 && textOf(info, "maxmemory_policy").startsWith("allkeys"),
  },
  {
    name: "nearly-full",
    sentence:
      "Redis has used nine tenths of its memory and will refuse writes (maxmemory-policy noeviction). Raise maxmemory, or set maxmemory-policy volatile-ttl.",
    isIn: (info) =>
      textOf(info, "maxmemory_policy") === "noeviction" &&
      limitOf(info) > 0 &&
      Number(textOf(info, "used_memory")) > 0.9 * limitOf(info),
  },
  {
    name: "read-only",
    sentence: "REDIS_URL leads to a replica, which refuses writes. Name the master, or Sentinel.",
    isIn: (info) => textOf(info, "role") === "slave" && textOf(info, "slave_read_only") === "1",
  },
];

const slow: RedisTrouble = {
  name: "slow",
  sentence:
    "Half of the commands to Redis take longer than 20 ms, and every request that is read whole waits for one. Bring Redis nearer, or give it more CPU.",
};

/** What is the matter with any of its masters, by what they say of themselves. @throws what Redis throws */
export async function troublesOf(redis: Redis | Cluster, pace: Pace): Promise<readonly RedisTrouble[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const infos = await Promise.all(nodes.map(async (node) => fieldsOf(await node.info())));
  const found = troubles.filter(({ isIn }) => infos.some(isIn)).map(({ name, sentence }) => ({ name, sentence }));
  return pace.isSlow() ? [...found, slow] : found;
}

/** Lines of a name and a value, as `INFO` has them. */
function fieldsOf(text: string): Info {
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

function textOf(info: Info, name: string): string {
  return info.get(name) ?? "";
}

function limitOf(info: Info): number {
  return Number(textOf(info, "maxmemory"));
}
