import { Cluster, type Redis } from "ioredis";
import { connectRedis, pace, type Pace, runCommand, type RunCommand } from "./client.ts";
import { readRedisUrl } from "./url.ts";
import { changedEntry, directoryOver, entryOf, type EntryText, newestFirst } from "../directory.ts";
import { directivesOver } from "../directives.ts";
import {
  type Counters,
  type Directory,
  type Journal,
  type JournalItem,
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

/** Something about a Redis that serves, and loses or delays what it should not. */
interface RedisTrouble {
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
async function troublesOf(redis: Redis | Cluster, pace: Pace): Promise<readonly RedisTrouble[]> {
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
  const client = connectRedis(target, ca);
  const redis = withScripts(client.redis);
  const commandPace = pace();
  const ask = runCommand(client, commandPace);
  const sessions = sessionsIn(redis, ask, prefix);
  return {
    sessions,
    counters: countersIn(redis, ask, prefix),
    journal: journalIn(redis, ask, `${prefix}journal`, journalCapacity),
    directory: directoryIn(redis, ask, prefix, sessions),
    directives: directivesOver(sessions),
    isShared: true,
    whenReady: client.whenReady,
    lastFailure: client.lastFailure,
    troubles: () => troublesOf(client.redis, commandPace),
  };
}

function sessionsIn(redis: Scripted, ask: RunCommand, prefix: string): SessionStore {
  const keyOf = (key: ThreadKey): string => {
    const { session, thread } = partsOf(key);
    return `${prefix}{${session}}/${thread}`;
  };
  return {
    async read(key) {
      const text = await ask(() => redis.get(keyOf(key)));
      return text === null ? undefined : recordIn(text);
    },
    async write(key, json, expectedVersion, ttlMs, plain) {
      refuseOversized(json);
      const grown = plain === undefined ? [] : [plain.length, plain.root];
      const expected = expectedVersion ?? "";
      return (
        (await ask(() =>
          redis.unloopWrite(keyOf(key), expected, json, Number.isFinite(ttlMs) ? Math.ceil(ttlMs) : "", ...grown),
        )) === 1
      );
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
      return totalsOf(await ask(() => redis.unloopAdd(keyOf(key), Math.ceil(ttlMs), ...pairs)));
    },
    async read(key) {
      return totalsOf(Object.entries(await ask(() => redis.hgetall(keyOf(key)))).flat());
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
  const read = async (key: SessionKey) => {
    const record = await records.read(keyOf(key));
    const entry: EntryText | undefined = record && JSON.parse(record.json);
    return { entry, version: record?.version ?? 0 };
  };
  return directoryOver({
    async note(key, change, ttlMs) {
      for (let isWritten = false; !isWritten; ) {
        const { entry, version } = await read(key);
        isWritten = await records.write(keyOf(key), JSON.stringify(changedEntry(entry, change)), version, ttlMs);
      }
      await ask(async () => {
        await redis.zadd(order, "GT", change.at, key);
        const over = await redis.zrangebyscore(order, "-inf", change.at - ttlMs, "LIMIT", 0, SWEPT);
        if (over.length > 0) await redis.zrem(order, ...over);
        await redis.zremrangebyrank(order, 0, -MAX_LISTED - 1);
      });
    },
    async find(key) {
      const { entry } = await read(key);
      return entry && entryOf(key, entry);
    },
    async newest(limit, behind) {
      const found = [];
      for (let offset = 0, isEnd = false; !isEnd && found.length < limit; offset += limit) {
        const flat = await ask(() =>
          redis.zrevrangebyscore(order, behind?.at ?? "+inf", "-inf", "WITHSCORES", "LIMIT", offset, limit),
        );
        isEnd = flat.length < 2 * limit;
        const places = flat.flatMap((key, i) =>
          i % 2 === 0 ? [{ key: key as SessionKey, at: Number(flat[i + 1]) }] : [],
        );
        const next = places.filter((place) => behind === undefined || newestFirst(behind, place) < 0);
        const entries = await Promise.all(next.map(async (place) => ({ place, ...(await read(place.key)) })));
        // Their order is the set's: what an entry says of itself may be a moment older or newer.
        for (const { place, entry } of entries)
          if (entry !== undefined) found.push({ ...entryOf(place.key, entry), at: place.at });
      }
      return found.slice(0, limit);
    },
    async remove(key) {
      await records.remove(keyOf(key));
      await ask(() => redis.zrem(order, key));
    },
  });
}

function journalIn(redis: Scripted, ask: RunCommand, key: string, capacity: number): Journal {
  return {
    async append(entry) {
      refuseOversized(entry);
      await ask(() => redis.xadd(key, "MAXLEN", "~", capacity, "*", "entry", entry));
    },
    async recent(limit) {
      const count = Math.min(limit, capacity);
      if (count < 1) return [];
      const entries = await ask(() => redis.xrevrange(key, "+", "-", "COUNT", count));
      return entries.map(([, [, entry]]) => entry ?? "");
    },
    async page(limit, before) {
      const count = Math.min(limit, capacity);
      if (count < 1) return [];
      const newest = before === undefined ? "+" : `(${before}`;
      return itemsOf(await ask(() => redis.xrevrange(key, newest, "-", "COUNT", count)));
    },
    async after(id, limit) {
      if (limit < 1) return [];
      const oldest = id === undefined ? "-" : `(${id}`;
      return itemsOf(await ask(() => redis.xrange(key, oldest, "+", "COUNT", limit)));
    },
  };
}

function itemsOf(entries: readonly [id: string, fields: string[]][]): readonly JournalItem[] {
  return entries.map(([id, [, entry = ""]]) => ({ id, entry }));
}

/** Field and value in turn, as Redis tells a hash. */
function totalsOf(flat: readonly string[]): Totals {
  const pairs = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(flat[i + 1])] as const] : []));
  return Object.fromEntries(pairs);
}

// --- Scripts: only what must happen at once; every rule stays in TypeScript ---

const WRITE = `
local version, length, root = string.match(redis.call('GETRANGE', KEYS[1], 0, 255), '^(%d+) ?(%d*) ?([^\\n]*)\\n')
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

type Scripted = (Redis | Cluster) & {
  unloopWrite(
    key: string,
    expected: number | "",
    json: string,
    ttlMs: number | "",
    ...grown: (string | number)[]
  ): Promise<number>;
  unloopAdd(key: string, ttlMs: number, ...pairs: (string | number)[]): Promise<string[]>;
};

/** ioredis sends a script's hash, and the script itself when the server has forgotten it. */
function withScripts(redis: Redis | Cluster): Scripted {
  redis.defineCommand("unloopWrite", { numberOfKeys: 1, lua: WRITE });
  redis.defineCommand("unloopAdd", { numberOfKeys: 1, lua: ADD });
  return redis as Scripted;
}
