import { Cluster, type Redis } from "ioredis";
import { connectRedis, type RunCommand } from "./client.ts";
import { readRedisUrl } from "./url.ts";
import { changedEntry, directoryOver, directivesOver, entryOf, readEntry, newestFirst } from "../records.ts";
import {
  type Counters,
  type Directory,
  type DirectoryEntry,
  type Journal,
  partsOf,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type ThreadKey,
  type Totals,
} from "../store.ts";

/** What a Redis that serves loses or delays: one of few names, and a sentence with the cure. */
type RedisTrouble = Readonly<Record<"name" | "sentence", string>>;

type Info = (name: string) => string;

const troubles: readonly (RedisTrouble & { readonly isIn: (info: Info) => boolean })[] = [
  {
    name: "evicts-all",
    sentence:
      "Redis may evict operators' orders and the journal (maxmemory-policy allkeys-…). Set maxmemory-policy volatile-ttl.",
    isIn: (info) => Number(info("maxmemory")) > 0 && info("maxmemory_policy").startsWith("allkeys"),
  },
  {
    name: "nearly-full",
    sentence:
      "Redis has used nine tenths of its memory and will refuse writes (maxmemory-policy noeviction). Raise maxmemory, or set maxmemory-policy volatile-ttl.",
    isIn(info) {
      const limit = Number(info("maxmemory"));
      return info("maxmemory_policy") === "noeviction" && limit > 0 && Number(info("used_memory")) > 0.9 * limit;
    },
  },
  {
    name: "read-only",
    sentence: "REDIS_URL leads to a replica, which refuses writes. Name the master, or Sentinel.",
    isIn: (info) => info("role") === "slave" && info("slave_read_only") === "1",
  },
];

const slow: RedisTrouble = {
  name: "slow",
  sentence:
    "Half of the commands to Redis take longer than 20 ms, and every request that is read whole waits for one. Bring Redis nearer, or give it more CPU.",
};

/** What is the matter with any of its masters, by what they say of themselves. @throws what Redis throws */
async function troublesOf(redis: Redis | Cluster, isSlow: () => boolean): Promise<readonly RedisTrouble[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const infos = await Promise.all(
    nodes.map(async (node): Promise<Info> => {
      const lines = (await node.info()).matchAll(/^(\w+):(.*?)\r?$/gm);
      const fields = new Map([...lines].map(([, name = "", value = ""]) => [name, value]));
      return (name) => fields.get(name) ?? "";
    }),
  );
  const found = troubles.filter(({ isIn }) => infos.some(isIn)).map(({ name, sentence }) => ({ name, sentence }));
  return isSlow() ? [...found, slow] : found;
}

/** Options of stores in Redis. */
export interface RedisStoreOptions {
  /** `redis://`, `redis+sentinel://`, `redis+cluster://`, or with `rediss` for TLS; `?prefix=` in place of `unloop:` begins every key. */
  readonly url: string;
  /** Capacity of the journal, in entries, give or take a hundred; 1,000 without it. */
  readonly journalCapacity?: number;
  /** A certificate authority to trust in place of the usual ones, as PEM text. */
  readonly ca?: string;
}

export interface RedisStores extends Stores {
  /** Resolves to true once commands can be sent, to false when that takes longer. */
  whenReady(timeoutMs: number): Promise<boolean>;
  /** Why the connection failed last; undefined while all is well. */
  lastFailure(): string | undefined;
  /** What is the matter with a Redis that serves; its pace is that since the last look. Rejects when it cannot be asked. */
  troubles(): Promise<readonly RedisTrouble[]>;
}

/**
 * Everything in one Redis: a single server, one behind sentinels, or a cluster. All keys of a session are in one slot.
 * @throws UnloopError `bad_setting` for a URL that cannot be read.
 */
export function redisStores({ url, journalCapacity = 1_000, ca }: RedisStoreOptions): RedisStores {
  const target = readRedisUrl(url);
  const { prefix } = target;
  const { ask, isSlow, whenReady, lastFailure, ...client } = connectRedis(target, ca);
  const redis = withScripts(client.redis);
  const sessions = sessionsIn(redis, ask, prefix);
  return {
    sessions,
    counters: countersIn(redis, ask, prefix),
    journal: journalIn(redis, ask, `${prefix}journal`, journalCapacity),
    directory: directoryIn(redis, ask, prefix, sessions),
    directives: directivesOver(sessions),
    isShared: true,
    whenReady,
    lastFailure,
    troubles: () => troublesOf(client.redis, isSlow),
  };
}

function sessionsIn(redis: Scripted, ask: RunCommand, prefix: string): SessionStore {
  const keyOf = (key: ThreadKey): string => {
    const { session, thread } = partsOf(key);
    return `${prefix}{${session}}/${thread}`;
  };
  return {
    async read(key) {
      // GET would fail for a key of another type.
      const [text] = await ask(() => redis.mget(keyOf(key)));
      return text ? recordIn(text) : undefined;
    },
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      const grown = plain === undefined ? [] : [plain.length, plain.root];
      const expires = Number.isFinite(ttlMs) ? Math.ceil(ttlMs) : "";
      const command = () => redis.unloopWrite(keyOf(key), expectedVersion ?? "", json, expires, ...grown);
      return (await ask(command)) === 1;
    },
    async remove(key) {
      await ask(() => redis.del(keyOf(key)));
    },
    async close() {
      // What is under way is answered or given up; a server that is gone must not hold up the end.
      await redis.quit().catch(() => undefined);
      redis.disconnect();
    },
  };
}

/** A record is one text, its version in the first line, and length and root of a plain one: a hash would take 200 bytes more. */
function recordIn(text: string): Stored {
  const end = text.indexOf("\n");
  return { version: Number.parseInt(text, 10), json: text.slice(end + 1) };
}

function countersIn(redis: Scripted, ask: RunCommand, prefix: string): Counters {
  const keyOf = (key: SessionKey): string => `${prefix}counters:{${key}}`;
  return {
    async add(key, amounts, ttlMs) {
      refuseUncountable(amounts);
      const pairs = Object.entries(amounts).flat();
      return totalsOf(pairsIn(await ask(() => redis.unloopAdd(keyOf(key), Math.ceil(ttlMs), ...pairs))));
    },
    async read(key) {
      return totalsOf(Object.entries(await ask(() => redis.hgetall(keyOf(key)))));
    },
  };
}

/** Sessions that are listed at most; older ones are still found by their key. */
const MAX_LISTED = 100_000;
/** Names that are over are taken out so many at a time. */
const SWEPT = 20;

/** Each entry is a record in its session's slot, and their order a sorted set: what that alone names has expired, and is left out. */
function directoryIn(redis: Scripted, ask: RunCommand, prefix: string, records: SessionStore): Directory {
  const order = `${prefix}directory`;
  const keyOf = (key: SessionKey) => `${key}.directory` as ThreadKey;
  const find = async (key: SessionKey) => entryOf(key, (await records.read(keyOf(key)))?.json);
  return directoryOver({
    find,
    async note(key, change, ttlMs) {
      for (let isWritten = false; !isWritten; ) {
        const record = await records.read(keyOf(key));
        const json = JSON.stringify(changedEntry(readEntry(record?.json), change));
        isWritten = await records.write(keyOf(key), json, record?.version ?? 0, ttlMs);
      }
      await ask(async () => {
        await redis.zadd(order, "GT", change.at, key);
        const over = await redis.zrangebyscore(order, "-inf", change.at - ttlMs, "LIMIT", 0, SWEPT);
        if (over.length > 0) await redis.zrem(order, ...over);
        await redis.zremrangebyrank(order, 0, -MAX_LISTED - 1);
      });
    },
    async newest(limit, behind) {
      const found: DirectoryEntry[] = [];
      for (let offset = 0, isEnd = false; !isEnd && found.length < limit; offset += limit) {
        const places = pairsIn(
          await ask(() =>
            redis.zrevrangebyscore(order, behind?.at ?? "+inf", "-inf", "WITHSCORES", "LIMIT", offset, limit),
          ),
        ).map(([key, at]) => ({ key: key as SessionKey, at: Number(at) }));
        isEnd = places.length < limit;
        const next = places.filter((place) => behind === undefined || newestFirst(behind, place) < 0);
        const entries = await Promise.all(next.map(async ({ key, at }) => ({ entry: await find(key), at })));
        // Their order is the set's: what an entry says of itself may be a moment older or newer.
        for (const { entry, at } of entries) if (entry !== undefined) found.push({ ...entry, at });
      }
      return found.slice(0, limit);
    },
  });
}

function journalIn(redis: Scripted, ask: RunCommand, key: string, capacity: number): Journal {
  return {
    async append(entry) {
      refuseOversized(entry);
      await ask(() => redis.xadd(key, "MAXLEN", "~", capacity, "*", "entry", entry));
    },
    async page(limit, before) {
      const count = Math.min(limit, capacity);
      if (count < 1) return [];
      const newest = before === undefined ? "+" : `(${before}`;
      const entries = await ask(() => redis.xrevrange(key, newest, "-", "COUNT", count));
      return entries.map(([id, [, entry = ""]]) => ({ id, entry }));
    },
  };
}

function pairsIn(flat: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ""] as const] : []));
}

const totalsOf = (pairs: readonly (readonly [name: string, sum: string])[]): Totals =>
  Object.fromEntries(pairs.map(([name, sum]) => [name, Number(sum)]));

// --- Scripts: only what must happen at once; every rule stays in TypeScript ---

const WRITE = `
local stored = redis.pcall('GETRANGE', KEYS[1], 0, 255)
local version, length, root = string.match(type(stored) == 'string' and stored or '', '^(%d+) ?(%d*) ?([^\\n]*)\\n')
local isTaken = (version or '0') == ARGV[1]
if ARGV[1] == '' then
  isTaken = not version or ARGV[5] and length ~= '' and (root == ARGV[5] or length == '0') and tonumber(length) < tonumber(ARGV[4])
end
if not isTaken then return 0 end
local head = string.format('%.0f', tonumber(version or '0') + 1)
if ARGV[5] then head = head .. ' ' .. ARGV[4] .. ' ' .. ARGV[5] end
if ARGV[3] == '' then redis.call('SET', KEYS[1], head .. '\\n' .. ARGV[2]) else redis.call('SET', KEYS[1], head .. '\\n' .. ARGV[2], 'PX', ARGV[3]) end
return 1`;

const ADD = `
for i = 2, #ARGV, 2 do redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('HGETALL', KEYS[1])`;

type Script<Answer> = (key: string, ...values: (string | number)[]) => Promise<Answer>;
type Scripted = (Redis | Cluster) & { readonly unloopWrite: Script<number>; readonly unloopAdd: Script<string[]> };

/** ioredis sends a script's hash, and the script itself when the server has forgotten it. */
function withScripts(redis: Redis | Cluster): Scripted {
  redis.defineCommand("unloopWrite", { numberOfKeys: 1, lua: WRITE });
  redis.defineCommand("unloopAdd", { numberOfKeys: 1, lua: ADD });
  return redis as Scripted;
}
