import type { Cluster, Redis } from "ioredis";
import { filterable } from "../directory.ts";
import { filterablePart, matches, newestFirst, partsOfPosition, positionOf } from "../directory-pages.ts";
import { refuseOversizedFields, refuseUncountable } from "../refusals.ts";
import type { Directory, DirectoryEntry, DirectoryFilter, DirectoryPage, SessionKey } from "../store.ts";
import type { RunCommand } from "./run-command.ts";

/** Sessions that are listed at most; older ones are still found by their key. */
const MAX_LISTED = 100_000;

/**
 * Keeps each entry as a hash in its session's slot, and an index of all in one slot: a sorted set with their order, and a
 * hash with what a filter asks for, so that ten thousand entries are looked through without reading them. An entry is
 * written first and the index then: what the index alone names has expired, and is left out.
 */
export function redisDirectory(client: Redis | Cluster, ask: RunCommand, prefix: string): Directory {
  const redis = withScripts(client);
  const order = `${prefix}{directory}`;
  const index = { redis, order, rows: `${order}:rows` };
  const keyOf = (key: SessionKey): string => `${prefix}directory:{${key}}`;
  const read = async (key: SessionKey) => entryOf(key, await redis.hgetall(keyOf(key)));
  return {
    async note(key, { at, set, first, add }, ttlMs) {
      refuseUncountable(add);
      refuseOversizedFields(set);
      const parts = [set, first, add].map((fields) => Object.entries(fields));
      const counts = parts.map(({ length }) => length);
      const args = [Math.ceil(ttlMs), at, ...counts, ...parts.flat(2)];
      await ask(async () => {
        const [revision, ...pairs] = await redis.unloopNote(keyOf(key), ...args);
        const entry = entryOf(key, hashOf(pairs));
        if (entry === undefined) return;
        await redis.unloopIndex(order, index.rows, key, at, Number(revision), rowText(entry), at - ttlMs, MAX_LISTED);
      });
    },
    find: (key) => ask(() => read(key)),
    page: (limit, before, filter) => ask(() => page({ ...index, read }, limit, before, filter)),
    async remove(key) {
      await ask(async () => {
        await redis.del(keyOf(key));
        await redis.zrem(order, key);
        await redis.hdel(index.rows, key);
      });
    },
  };
}

// --- Pages ---

interface Reading {
  readonly redis: Scripted;
  readonly order: string;
  readonly rows: string;
  readonly read: (key: SessionKey) => Promise<DirectoryEntry | undefined>;
}

/** Number of names that are looked up together, without a filter and with one. */
const BATCH = 200;
const FILTERED_BATCH = 2_000;

/** Most names that one call scans. */
const MAX_LOOKED_THROUGH = 20_000;

type Place = Pick<DirectoryEntry, "key" | "at">;

async function page(
  reading: Reading,
  limit: number,
  before: string | undefined,
  filter: DirectoryFilter | undefined,
): Promise<DirectoryPage> {
  const pageEntries: DirectoryEntry[] = [];
  const behind = before === undefined ? undefined : partsOfPosition(before);
  const batch = filter === undefined ? BATCH : FILTERED_BATCH;
  let last: Place | undefined;
  for (let offset = 0; offset < MAX_LOOKED_THROUGH; offset += batch) {
    const places = await placesIn(reading, behind?.at, offset, batch);
    last = places.at(-1) ?? last;
    const candidates = places.filter((place) => behind === undefined || newestFirst(behind, place) < 0);
    const listed = filter === undefined ? candidates : await readRows(reading, candidates, filter);
    await readInto(pageEntries, reading, listed, limit + 1, filter);
    if (pageEntries.length > limit) break;
    if (places.length < batch) return { entries: pageEntries, next: undefined };
  }
  const entries = pageEntries.slice(0, limit);
  const end = pageEntries.length > limit ? entries.at(-1) : last;
  return { entries, next: end === undefined ? undefined : positionOf(end) };
}

async function placesIn({ redis, order }: Reading, most: number | undefined, offset: number, count: number) {
  const names = await redis.zrevrangebyscore(order, most ?? "+inf", "-inf", "WITHSCORES", "LIMIT", offset, count);
  return names.flatMap((name, i): readonly Place[] =>
    i % 2 === 0 ? [{ key: name as SessionKey, at: Number(names[i + 1]) }] : [],
  );
}

async function readRows({ redis, rows }: Reading, places: readonly Place[], filter: DirectoryFilter) {
  if (places.length === 0) return [];
  const texts = await redis.hmget(rows, ...places.map(({ key }) => key));
  const asked = filterablePart(filter);
  const needed = textsNeededBy(asked);
  return places.filter((_, i) => {
    const text = texts[i];
    // An entry without a row may be any: it is read.
    return text == null || (needed.every((one) => text.includes(one)) && matches(readRow(text), asked));
  });
}

/** Their order is the set's: what an entry says of itself may be a moment older or newer. */
async function readInto(
  into: DirectoryEntry[],
  { read }: Reading,
  places: readonly Place[],
  enough: number,
  filter: DirectoryFilter | undefined,
): Promise<void> {
  let from = 0;
  while (from < places.length && into.length < enough) {
    const some = places.slice(from, from + (from === 0 ? Math.min(BATCH, enough - into.length) : BATCH));
    from += some.length;
    const entries = await Promise.all(some.map(async ({ key, at }) => ({ entry: await read(key), at })));
    for (const { entry, at } of entries)
      if (entry !== undefined && (filter === undefined || matches(entry, filter))) into.push({ ...entry, at });
  }
}

// --- Rows: what a filter asks for ---

/** Longer texts are told apart by their beginning. In UTF-16 units. */
const MAX_ROW_TEXT = 200;

function rowText({ fields, sums }: DirectoryEntry): string {
  const texts = Object.entries(fields)
    .filter(([name, text]) => text !== "" && filterable.fields.has(name))
    .map(([name, text]) => [name, text.slice(0, MAX_ROW_TEXT)]);
  return JSON.stringify([texts, Object.keys(sums).filter((name) => filterable.sums.has(name))]);
}

/** What stands in the text of every row that matches: looking for it costs a tenth of reading the row. */
function textsNeededBy({ equal = {}, containing = {}, filled = {}, counted = [] }: DirectoryFilter): readonly string[] {
  const texts = [...Object.values(equal), ...Object.values(containing), ...counted];
  const names = Object.entries(filled).flatMap(([name, isFilled]) => (isFilled ? [name] : []));
  return [
    ...texts.map((text) => JSON.stringify(text.slice(0, MAX_ROW_TEXT)).slice(1, -1)),
    ...names.map((name) => `[${JSON.stringify(name)},"`),
  ];
}

function readRow(text: string): Pick<DirectoryEntry, "fields" | "sums"> {
  const [texts, names]: [[string, string][], string[]] = JSON.parse(text.slice(text.indexOf(" ") + 1));
  return { fields: Object.fromEntries(texts), sums: Object.fromEntries(names.map((name) => [name, 0])) };
}

// --- Entries ---

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

function hashOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.flatMap((name, i) => (i % 2 === 0 ? [[name, pairs[i + 1] ?? ""]] : [])));
}

// --- Scripts: only what must happen at once ---

/** Merges a change, and answers with the entry and the number of its changes. */
const NOTE = `
local i = 6
local function pairsOf(count, each)
  for _ = 1, tonumber(count) do each(ARGV[i], ARGV[i + 1]); i = i + 2 end
end
local newest = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'at') or '0'))
redis.call('HSET', KEYS[1], 'at', string.format('%.0f', newest))
pairsOf(ARGV[3], function(name, value)
  if value == '' then redis.call('HDEL', KEYS[1], '${TEXT}' .. name) else redis.call('HSET', KEYS[1], '${TEXT}' .. name, value) end
end)
pairsOf(ARGV[4], function(name, value) redis.call('HSETNX', KEYS[1], '${TEXT}' .. name, value) end)
pairsOf(ARGV[5], function(name, value) redis.call('HINCRBYFLOAT', KEYS[1], '${SUM}' .. name, value) end)
local answer = redis.call('HGETALL', KEYS[1])
table.insert(answer, 1, tostring(redis.call('HINCRBY', KEYS[1], 'changes', 1)))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return answer`;

/** Lists an entry, unless a later change of it has been listed already, and takes out a few of those that are over. */
const INDEX = `
local key, revision, most = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[6])
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], key)
local known = redis.call('HGET', KEYS[2], key)
if revision == 1 or not known or tonumber(string.match(known, '^%d+')) < revision then
  redis.call('HSET', KEYS[2], key, ARGV[3] .. ' ' .. ARGV[4])
end
local over = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[5], 'LIMIT', 0, 20)
local beyond = redis.call('ZCARD', KEYS[1]) - most
if #over == 0 and beyond > 0 then over = redis.call('ZRANGE', KEYS[1], 0, math.min(beyond, 20) - 1) end
for _, one in ipairs(over) do
  redis.call('ZREM', KEYS[1], one)
  redis.call('HDEL', KEYS[2], one)
end
return 1`;

type Scripted = (Redis | Cluster) & {
  unloopNote(key: string, ...args: (string | number)[]): Promise<string[]>;
  unloopIndex(order: string, rows: string, ...args: (string | number)[]): Promise<number>;
};

function withScripts(redis: Redis | Cluster): Scripted {
  redis.defineCommand("unloopNote", { numberOfKeys: 1, lua: NOTE });
  redis.defineCommand("unloopIndex", { numberOfKeys: 2, lua: INDEX });
  return redis as Scripted;
}
