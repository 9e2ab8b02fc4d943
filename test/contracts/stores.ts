import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Counters,
  type Directives,
  type Directory,
  type DirectoryChange,
  type Journal,
  type SessionKey,
  type SessionStore,
  type Stores,
  type ThreadKey,
  type DirectoryEntry,
  MAX_TEXT_LENGTH,
  positionOf,
} from "../../src/store/store.ts";

export interface StoresUnderTest {
  readonly stores: Stores;
  /** Lets time pass: a given clock moves, or what is kept grows older. */
  advance(ms: number): Promise<void>;
}

type Advance = StoresUnderTest["advance"];
type Promises<Part> = Readonly<Record<string, (part: Part, advance: Advance) => Promise<void>>>;

/** All that a storage promises. `prefix` is new each time: whoever shares a database keeps to it. */
export function storesContract(
  name: string,
  make: (prefix: string, journalCapacity: number) => Promise<StoresUnderTest>,
): void {
  const part = <Part>(what: string, of: (stores: Stores) => Part, promises: Promises<Part>) =>
    contract(`${what} in ${name}`, promises, async () => {
      const { stores, advance } = await make(`${randomUUID()}:`, CAPACITY);
      return { part: of(stores), advance, close: () => stores.sessions.close() };
    });
  part("sessions", ({ sessions }) => sessions, ofSessions);
  part("counters", ({ counters }) => counters, ofCounters);
  part("the journal", ({ journal }) => journal, ofJournal);
  part("the directory", ({ directory }) => directory, ofDirectory);
  part("directives", ({ directives }) => directives, ofDirectives);
}

export function storeContract(
  name: string,
  make: () => Promise<{ readonly store: SessionStore; readonly advance: Advance }>,
): void {
  contract(name, ofSessions, async () => {
    const { store, advance } = await make();
    return { part: store, advance, close: () => store.close() };
  });
}

interface UnderTest<Part> {
  readonly part: Part;
  readonly advance: Advance;
  close(): Promise<void>;
}

function contract<Part>(name: string, promises: Promises<Part>, make: () => Promise<UnderTest<Part>>): void {
  describe(name, () => {
    let made: UnderTest<Part>;
    afterEach(() => made.close());
    it.each(Object.entries(promises))("%s", async (_, keeps) => {
      made = await make();
      await keeps(made.part, (ms) => made.advance(ms));
    });
  });
}

const TTL_MS = 10_000;
const CAPACITY = 20;
const newKey = () => randomUUID() as SessionKey;
const newThread = () => `${randomUUID()}.${randomUUID()}` as ThreadKey;
const many = <One>(count: number, one: (i: number) => One): One[] => Array.from({ length: count }, (_, i) => one(i));

const ofSessions: Promises<SessionStore> = {
  async "give back what was written, with a version that grows by one"(store) {
    const key = newThread();
    expect(await store.read(key)).toBeUndefined();
    for (const version of [0, 1]) {
      expect(await store.write(key, `{"a":${version}}`, version, TTL_MS)).toBe(true);
      expect(await store.read(key)).toEqual({ json: `{"a":${version}}`, version: version + 1 });
    }
  },

  async "refuse a writer whose version is not the stored one, and change nothing"(store) {
    const key = newThread();
    expect(await store.write(key, "early", 3, TTL_MS)).toBe(false);
    expect(await store.read(key)).toBeUndefined();
    await store.write(key, "first", 0, TTL_MS);
    await store.write(key, "second", 1, TTL_MS);
    for (const version of [0, 1, 3]) expect(await store.write(key, "stale", version, TTL_MS)).toBe(false);
    expect(await store.read(key)).toEqual({ json: "second", version: 2 });
  },

  async "let exactly one of many concurrent writers win each round"(store) {
    const key = newThread();
    for (let round = 0; round < 10; round += 1) {
      const won = await Promise.all(many(20, (writer) => store.write(key, `${round}:${writer}`, round, TTL_MS)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.read(key)).toEqual({ json: `${round}:${won.indexOf(true)}`, version: round + 1 });
    }
  },

  async "take a longer plain record in place of a shorter one of its root, from who has not read it"(store) {
    const key = newThread();
    await store.write(key, "two", undefined, TTL_MS, { root: "1 0 a/+b=", length: 2 });
    expect(await store.write(key, "ten", undefined, TTL_MS, { root: "1 0 a/+b=", length: 10 })).toBe(true);
    expect(await store.write(key, "nine", undefined, TTL_MS, { root: "1 0 a/+b=", length: 9 })).toBe(false);
    expect(await store.read(key)).toEqual({ json: "ten", version: 2 });
  },

  async "take any plain record in place of an empty one, from who has not read it"(store) {
    const key = newThread();
    await store.write(key, "none", 0, TTL_MS, { root: "", length: 0 });
    expect(await store.write(key, "not plain", undefined, TTL_MS)).toBe(false);
    expect(await store.write(key, "one", undefined, TTL_MS, { root: "a", length: 1 })).toBe(true);
  },

  async "take all others by their version alone: of equal length, of another root, or not plain"(store) {
    const plain = (root: string, length: number) => ({ root, length });
    for (const [before, after] of [
      [plain("a", 3), plain("a", 3)],
      [plain("a", 3), plain("ab", 4)],
      [plain("a", 3), undefined],
      [undefined, plain("a", 4)],
    ]) {
      const key = newThread();
      await store.write(key, "before", 0, TTL_MS, before);
      for (const version of [undefined, 0, 2])
        expect(await store.write(key, "after", version, TTL_MS, after)).toBe(false);
      expect(await store.write(key, "after", 1, TTL_MS, after)).toBe(true);
      const longer = plain(after?.root ?? "a", 9);
      expect(await store.write(key, "longer", undefined, TTL_MS, longer)).toBe(after !== undefined);
    }
  },

  async "forget what has expired since its last write, and begin again with version 0"(store, advance) {
    const key = newThread();
    await store.write(key, "1", 0, TTL_MS);
    await advance(TTL_MS * 0.6);
    await store.write(key, "2", 1, TTL_MS);
    await advance(TTL_MS * 0.6);
    expect(await store.read(key)).toEqual({ json: "2", version: 2 });
    await advance(TTL_MS);
    expect(await store.read(key)).toBeUndefined();
    expect(await store.write(key, "stale", 2, TTL_MS)).toBe(false);
    expect(await store.write(key, "new", 0, TTL_MS)).toBe(true);
    expect(await store.read(key)).toEqual({ json: "new", version: 1 });
  },

  async "remove a key, and are content if there is none"(store) {
    const key = newThread();
    await store.write(key, "1", 0, TTL_MS);
    for (const _ of ["there", "gone"]) await store.remove(key);
    expect(await store.read(key)).toBeUndefined();
    expect(await store.write(key, "again", 0, TTL_MS)).toBe(true);
  },

  async "keep keys apart, however alike"(store) {
    const key = newThread();
    const keys = [key, `${key}:`, `${key}*`, `{${key}}`, `${key} `, key.toUpperCase()] as ThreadKey[];
    for (const [i, one] of keys.entries()) await store.write(one, String(i), 0, TTL_MS);
    await store.remove(key);
    const values = await Promise.all(keys.map(async (one) => (await store.read(one))?.json));
    expect(values).toEqual([undefined, "1", "2", "3", "4", "5"]);
  },

  async "keep big and odd texts as they are"(store) {
    for (const json of ["", "\u0000\u2028\n\"'\\", "ループ🙂", "x".repeat(MAX_TEXT_LENGTH)]) {
      const key = newThread();
      await store.write(key, json, 0, 60_000);
      expect((await store.read(key))?.json === json).toBe(true);
    }
  },

  async "may be closed more than once"(store) {
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  },
};

const ofCounters: Promises<Counters> = {
  async "tell every total after each addition, and again when read; fractions and what is taken away, too"(counters) {
    const key = newKey();
    expect(await counters.add(key, { steps: 1, tokens: 1_200 }, TTL_MS)).toEqual({ steps: 1, tokens: 1_200 });
    expect(await counters.add(key, { steps: 1 }, TTL_MS)).toEqual({ steps: 2, tokens: 1_200 });
    expect(await counters.read(key)).toEqual({ steps: 2, tokens: 1_200 });
    await counters.add(key, { cost: 0.1, tiny: 1e-7 }, TTL_MS);
    const totals = await counters.add(key, { cost: 0.2, steps: -5 }, TTL_MS);
    expect(totals).toMatchObject({ steps: -3, tiny: expect.closeTo(1e-7, 12), cost: expect.closeTo(0.3, 12) });
  },

  async "lose nothing of 200 concurrent additions"(counters) {
    const key = newKey();
    const totals = await Promise.all(many(200, (i) => counters.add(key, { steps: 1, tokens: i }, TTL_MS)));
    expect(new Set(totals.map(({ steps }) => steps)).size).toBe(200);
    expect(await counters.read(key)).toEqual({ steps: 200, tokens: 19_900 });
  },

  async "forget everything of a key when nothing was added for so long"(counters, advance) {
    const key = newKey();
    await counters.add(key, { steps: 1 }, TTL_MS);
    await advance(TTL_MS * 0.6);
    await counters.add(key, { tokens: 5 }, TTL_MS);
    await advance(TTL_MS * 0.6);
    expect(await counters.read(key)).toEqual({ steps: 1, tokens: 5 });
    await advance(TTL_MS);
    expect(await counters.read(key)).toEqual({});
    expect(await counters.add(key, { steps: 1 }, TTL_MS)).toEqual({ steps: 1 });
  },

  async "keep sessions apart, and names of any kind"(counters) {
    const [one, other] = [newKey(), newKey()];
    await counters.add(one, { ["__proto__"]: 1, constructor: 2, "ツール 🙂": 3, "": 4 }, TTL_MS);
    await counters.add(other, { constructor: 1 }, TTL_MS);
    const kept = [["", 4] as const, ["__proto__", 1] as const, ["constructor", 2] as const, ["ツール 🙂", 3] as const];
    expect(Object.entries(await counters.read(one)).sort()).toEqual(kept);
    expect(await counters.read(other)).toEqual({ constructor: 1 });
  },

  async "refuse what is no number, and count nothing of it"(counters) {
    const key = newKey();
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const adding = counters.add(key, { steps: 1, tokens: odd }, TTL_MS);
      await expect(adding).rejects.toMatchObject({ code: "record_refused" });
    }
    expect(await counters.read(key)).toEqual({});
  },
};

const entry = (index: number) => JSON.stringify({ index });
const fill = async (journal: Journal, count: number) => {
  for (let i = 0; i < count; i += 1) await journal.append(entry(i));
};
const newest = async (journal: Journal, limit: number) => (await journal.page(limit)).map((item) => item.entry);

const ofJournal: Promises<Journal> = {
  async "is paged from the newest to the oldest, each entry once"(journal) {
    await fill(journal, 7);
    const told: string[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await journal.page(3, before);
      told.push(...page.map((item) => item.entry));
      before = page.at(-1)?.id ?? before;
    }
    expect(told).toEqual([6, 5, 4, 3, 2, 1, 0].map(entry));
    expect(await journal.page(3, before)).toEqual([]);
  },

  async "forgets the oldest beyond its capacity, keeps all within, and has nothing older than what it forgot"(journal) {
    await journal.append("forgotten");
    const [first] = await journal.page(1);
    await fill(journal, CAPACITY * 20);
    const kept = many(CAPACITY, (back) => entry(CAPACITY * 20 - 1 - back));
    expect(await newest(journal, CAPACITY * 20)).toEqual(kept);
    expect(await journal.page(10, first?.id)).toEqual([]);
  },

  async "loses nothing of concurrent writers"(journal) {
    await Promise.all(many(CAPACITY, (i) => journal.append(entry(i))));
    expect((await newest(journal, CAPACITY)).sort()).toEqual(many(CAPACITY, entry).sort());
  },
};

const change = (parts: Partial<DirectoryChange>): DirectoryChange => ({ at: 0, set: {}, first: {}, add: {}, ...parts });

const ofDirectory: Promises<Directory> = {
  async "merges changes: fields are replaced, first fields stay, sums add up"(directory) {
    expect(await directory.page(10)).toEqual([]);
    const key = newKey();
    expect(await directory.find(key)).toBeUndefined();
    for (const one of [
      { at: 5, set: { model: "a" }, first: { begun: "5" }, add: { steps: 1 } },
      { at: 9, set: { rung: "nudge" }, first: { begun: "9" }, add: { steps: 2, tokens: 7 } },
      { at: 8, set: { model: "b" } },
    ])
      await directory.note(key, change(one), TTL_MS);
    const entry = { key, at: 9, fields: { model: "b", rung: "nudge", begun: "5" }, sums: { steps: 3, tokens: 7 } };
    expect(await directory.find(key)).toEqual(entry);
    expect(await directory.page(10)).toEqual([entry]);
  },

  async "has no field that was set to nothing"(directory) {
    const key = newKey();
    await directory.note(key, change({ at: 1, set: { rule: "", arm: "held-out", model: "a" } }), TTL_MS);
    await directory.note(key, change({ at: 2, set: { arm: "", model: "b" } }), TTL_MS);
    expect((await directory.find(key))?.fields).toEqual({ model: "b" });
  },

  async "lists the newest first, and each entry once, however many were in use at one time"(directory) {
    const keys = many(25, newKey);
    for (const [i, key] of keys.entries())
      await directory.note(key, change({ at: 1_000 + Math.floor(i / 10) }), TTL_MS);
    const listed: DirectoryEntry[] = [];
    for (const size of [4, 4, 4, 4, 4, 4, 1, 0]) {
      const last = listed.at(-1);
      const page = await directory.page(4, last && positionOf(last));
      expect(page).toHaveLength(size);
      listed.push(...page);
    }
    expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(listed.map(({ at }) => at)).toEqual([...listed.map(({ at }) => at)].sort((a, b) => b - a));
  },

  async "forgets what is not used any more"(directory, advance) {
    const [old, young] = [newKey(), newKey()];
    await directory.note(old, change({ at: 1 }), TTL_MS);
    await advance(TTL_MS * 0.6);
    await directory.note(young, change({ at: 2 }), TTL_MS);
    await advance(TTL_MS * 0.6);
    expect((await directory.page(10)).map(({ key }) => key)).toEqual([young]);
    expect(await directory.find(old)).toBeUndefined();
  },

  async "loses nothing of concurrent writers"(directory) {
    const key = newKey();
    const noted = (at: number) => change({ at, set: { [`seen${at}`]: "yes" }, add: { steps: 1 } });
    await Promise.all(many(20, (i) => directory.note(key, noted(i), TTL_MS)));
    const entry = await directory.find(key);
    expect(entry).toMatchObject({ at: 19, sums: { steps: 20 } });
    expect(Object.keys(entry?.fields ?? {})).toHaveLength(20);
  },
};

const standing = async (directives: Directives, known?: string) =>
  Object.fromEntries((await directives.read(known))?.texts ?? []);

const ofDirectives: Promises<Directives> = {
  async "are told whole after each change, and not at all without one"(directives) {
    const first = await directives.read();
    expect(first?.texts.size).toBe(0);
    expect(await directives.read(first?.revision)).toBeUndefined();
    await directives.put("a", '{"kind":"contain"}', TTL_MS);
    const second = await directives.read(first?.revision);
    expect([...(second?.texts ?? [])]).toEqual([["a", '{"kind":"contain"}']]);
    expect(await directives.read(second?.revision)).toBeUndefined();
    await directives.put("b", "2", TTL_MS);
    await directives.remove("a");
    expect(await standing(directives, second?.revision)).toEqual({ b: "2" });
    expect(await standing(directives, "another store's")).toEqual({ b: "2" });
  },

  async "end by themselves"(directives, advance) {
    await directives.put("short", "1", TTL_MS);
    await directives.put("long", "2", 3 * TTL_MS);
    await advance(2 * TTL_MS);
    expect(await standing(directives)).toEqual({ long: "2" });
    await advance(2 * TTL_MS);
    expect(await standing(directives)).toEqual({});
  },
};
