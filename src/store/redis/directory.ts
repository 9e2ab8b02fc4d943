import type { Cluster, Redis } from "ioredis";
import {
  type Directory,
  type DirectoryEntry,
  isBefore,
  positionOf,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
} from "../store.ts";
import type { RunCommand } from "./run-command.ts";

/** Sessions that are listed at most; older ones are still found by their key. */
const MAX_LISTED = 100_000;

/**
 * Keeps each entry as a hash in its session's slot, and their order in one sorted set. The two are written one after
 * the other: an entry that the set alone names has expired, and is left out.
 */
export function redisDirectory(client: Redis | Cluster, ask: RunCommand, prefix: string): Directory {
  const redis = withScript(client);
  const listed = `${prefix}directory`;
  const keyOf = (key: SessionKey): string => `${prefix}directory:{${key}}`;
  const read = async (key: SessionKey) => entryOf(key, await redis.hgetall(keyOf(key)));
  return {
    async note(key, { at, set, first, add }, ttlMs) {
      refuseUncountable(add);
      refuseOversized(JSON.stringify(set));
      const parts = [set, first, add].map((fields) => Object.entries(fields));
      const counts = parts.map(({ length }) => length);
      const args = [Math.ceil(ttlMs), at, ...counts, ...parts.flat(2)];
      await ask(async () => {
        await redis.unloopNote(keyOf(key), ...args);
        await redis.zadd(listed, "GT", at, key);
        // Now and then: those that have expired, and those beyond what is listed.
        if (Math.trunc(at) % 64 === 0) await tidy(redis, listed, at - ttlMs);
      });
    },
    find: (key) => ask(() => read(key)),
    page: (limit, before) => ask(() => page({ redis, listed, read }, limit, before)),
    async remove(key) {
      await ask(async () => {
        await redis.del(keyOf(key));
        await redis.zrem(listed, key);
      });
    },
  };
}

async function tidy(redis: Scripted, listed: string, expiredAt: number): Promise<void> {
  await redis.zremrangebyscore(listed, "-inf", expiredAt);
  await redis.zremrangebyrank(listed, 0, -MAX_LISTED - 1);
}

interface Reading {
  readonly redis: Scripted;
  readonly listed: string;
  readonly read: (key: SessionKey) => Promise<DirectoryEntry | undefined>;
}

/** How many names are looked up together. */
const BATCH = 200;

async function page({ redis, listed, read }: Reading, limit: number, before: string | undefined) {
  const found: DirectoryEntry[] = [];
  const most = before === undefined ? "+inf" : (before.split(":", 1)[0] ?? "+inf");
  for (let offset = 0; ; offset += BATCH) {
    const names = await redis.zrevrangebyscore(listed, most, "-inf", "WITHSCORES", "LIMIT", offset, BATCH);
    const keys = names.flatMap((name, i) =>
      i % 2 === 0 ? [{ key: name as SessionKey, at: Number(names[i + 1]) }] : [],
    );
    const candidates = keys.filter((entry) => before === undefined || isBefore(entry, before));
    // Their order is the set's: what an entry says of itself may be a moment older or newer.
    const entries = await Promise.all(candidates.map(async ({ key, at }) => ({ entry: await read(key), at })));
    for (const { entry, at } of entries) if (entry !== undefined) found.push({ ...entry, at });
    const isEnd = keys.length < BATCH;
    if (found.length <= limit && !isEnd) continue;
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return { entries: shown, next: found.length > limit && last !== undefined ? positionOf(last) : undefined };
  }
}

const TEXT = "t:";
const SUM = "n:";

/** Undefined for what is not there. */
function entryOf(key: SessionKey, hash: Readonly<Record<string, string>>): DirectoryEntry | undefined {
  if (hash.at === undefined) return undefined;
  const named = (mark: string) =>
    Object.entries(hash).flatMap(([name, value]) =>
      name.startsWith(mark) ? [[name.slice(mark.length), value] as const] : [],
    );
  const sums = named(SUM).map(([name, value]) => [name, Number(value)] as const);
  return { key, at: Number(hash.at), fields: Object.fromEntries(named(TEXT)), sums: Object.fromEntries(sums) };
}

// --- Script: only what must happen at once ---

const NOTE = `
local i = 6
local function pairsOf(count, each)
  for _ = 1, tonumber(count) do each(ARGV[i], ARGV[i + 1]); i = i + 2 end
end
local newest = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'at') or '0'))
redis.call('HSET', KEYS[1], 'at', string.format('%.0f', newest))
pairsOf(ARGV[3], function(name, value) redis.call('HSET', KEYS[1], '${TEXT}' .. name, value) end)
pairsOf(ARGV[4], function(name, value) redis.call('HSETNX', KEYS[1], '${TEXT}' .. name, value) end)
pairsOf(ARGV[5], function(name, value) redis.call('HINCRBYFLOAT', KEYS[1], '${SUM}' .. name, value) end)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

type Scripted = (Redis | Cluster) & {
  unloopNote(key: string, ...args: (string | number)[]): Promise<number>;
};

function withScript(redis: Redis | Cluster): Scripted {
  redis.defineCommand("unloopNote", { numberOfKeys: 1, lua: NOTE });
  return redis as Scripted;
}
