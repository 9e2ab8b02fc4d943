import type { Cluster, Redis } from "ioredis";
import { connectRedis } from "./client.ts";
import { redisDirectives } from "./directives.ts";
import { redisDirectory } from "./directory.ts";
import { pace } from "./pace.ts";
import { runCommand, type RunCommand } from "./run-command.ts";
import { type RedisTrouble, troublesOf } from "./troubles.ts";
import { readRedisUrl } from "./url.ts";
import { refuseOversized, refuseUncountable } from "../refusals.ts";
import {
  type Counters,
  type Journal,
  type JournalItem,
  partsOf,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type ThreadKey,
  type Totals,
} from "../store.ts";

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
  return {
    sessions: sessionsIn(redis, ask, prefix),
    counters: countersIn(redis, ask, prefix),
    journal: journalIn(redis, ask, `${prefix}journal`, journalCapacity),
    directory: redisDirectory(client.redis, ask, prefix),
    directives: redisDirectives(client.redis, ask, prefix),
    isShared: true,
    whenReady: client.whenReady,
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
      return (await ask(() => redis.unloopWrite(keyOf(key), expected, json, Math.ceil(ttlMs), ...grown))) === 1;
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
redis.call('SET', KEYS[1], head .. '\\n' .. ARGV[2], 'PX', ARGV[3])
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
    ttlMs: number,
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
