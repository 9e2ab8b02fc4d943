import { describe, expect, it } from "vitest";
import {
  advance,
  writeBackStore,
  type CachedThread,
  threadCache,
  emptyLedger,
  readLedger,
} from "../../../src/session/session.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import { type SessionKey, sessionKey, type ThreadKey } from "../../../src/store/store.ts";
import { defaultPolicy, judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, times } from "../../support/builders/steps.ts";

const evaluation = judgeWith();
const ttlMs = 60_000;

const storedCopy = (version: number) => ({
  version,
  turns: 0,
  alias: undefined,
  isOverwritten: false,
  writing: undefined,
});

/** A cached thread of a run of so many steps. */
function cachedThread(name: string, steps: number, more: Partial<CachedThread> = {}): CachedThread {
  const told = conversation(times(steps, (i) => call("read", { page: i }, `text of page ${i}`)));
  const tip = told.steps.reduce((ledger, step) => advance(ledger, step, evaluation), emptyLedger(told, evaluation));
  return {
    callKeys: [`call ${name} ${steps}`],
    headKey: `head ${name}`,
    prefix: { length: steps, sum: 0, since: 0, ends: 0, restLength: 2, restSum: 0 },
    identity: {
      session: name,
      label: name,
      source: "derived",
      isGiven: false,
      isCertain: false,
      key: name as SessionKey,
      thread: `${name}.t` as ThreadKey,
      tenant: "t",
    },
    policy: defaultPolicy(),
    model: "m",
    models: ["m"],
    save: tip,
    tip,
    turns: 1,
    stored: storedCopy(0),
    servedElsewhere: false,
    alias: `${name}${steps}.alias` as ThreadKey,
    terms: "",
    streams: false,
    asksForRepetition: false,
    repeatsIds: false,
    ...more,
  };
}

/** Cached threads with room for so many steps, on a clock of their own. */
function shelf(maxSteps = 1_000) {
  const clock = { now: 0 };
  return { clock, cache: threadCache({ maxSteps, ttlMs, now: () => clock.now }) };
}

describe("cached threads", () => {
  it("are found by the newest answer's calls, or by how the request begins", () => {
    const { cache } = shelf();
    const one = cachedThread("a", 3);
    cache.put(one);
    expect(["call a 3", "head a", "head b"].map((key) => cache.find(key))).toEqual([one, one, undefined]);
  });

  it("take the place of their thread's older one, under all its names", () => {
    const { cache } = shelf();
    const [older, newer] = [cachedThread("a", 3), cachedThread("a", 4)];
    cache.put(older);
    cache.put(newer);
    expect([cache.find("call a 3"), cache.find("head a")]).toEqual([undefined, newer]);
    expect([cache.isNewest(older), cache.isNewest(newer)]).toEqual([false, true]);
    expect(cache.take("a3.alias" as ThreadKey)).toBeUndefined();
  });

  it("are taken by their thread or its alias, and are gone then", () => {
    const { cache } = shelf();
    const [a, b] = [cachedThread("a", 3), cachedThread("b", 3)];
    for (const one of [a, b]) cache.put(one);
    expect(cache.take("a.t" as ThreadKey)).toBe(a);
    expect(cache.take("b3.alias" as ThreadKey)).toBe(b);
    expect(["a", "b"].map((name) => cache.find(`head ${name}`))).toEqual([undefined, undefined]);
  });

  it("make room when there are too many steps, the least recently used first, and tell which are not saved", () => {
    const { cache } = shelf(50);
    const [a, b, c] = [cachedThread("a", 12), cachedThread("b", 12, { turns: 0 }), cachedThread("c", 12)];
    expect([a, b, c].map((one) => cache.put(one))).toEqual([[], [], []]);
    expect(cache.put(cachedThread("a", 13))).toEqual([]);
    // Now b is the oldest, and saved.
    expect(cache.put(cachedThread("d", 14))).toEqual([c]);
    expect(["a", "b", "c", "d"].map((name) => cache.find(`head ${name}`)?.identity.session)).toEqual([
      "a",
      undefined,
      undefined,
      "d",
    ]);
  });

  it("make room first where one tenant has more of them than another", () => {
    const { cache } = shelf(60);
    const of = (tenant: string, name: string) => {
      const one = cachedThread(name, 12, { turns: 0 });
      return { ...one, identity: { ...one.identity, thread: `${sessionKey(name, tenant)}.t` as ThreadKey } };
    };
    cache.put(of("mine", "a"));
    for (let i = 0; i < 9; i++) cache.put(of("loud", `b${i}`));
    expect(cache.find("head a")?.identity.session).toBe("a");
    expect(cache.steps()).toBeLessThanOrEqual(60);
  });

  it("are dropped with what has come after them, and not where the thread was cached anew", () => {
    const { cache } = shelf();
    const older = cachedThread("a", 3);
    cache.put(older);
    cache.put({ ...cachedThread("a", 4), stored: older.stored });
    cache.drop(older);
    expect(cache.find("head a")).toBeUndefined();
    const anew = cachedThread("a", 5);
    cache.put(anew);
    cache.drop(older);
    expect(cache.find("head a")).toBe(anew);
  });

  it("give up all that the store does not have, but for what is overdue", () => {
    const { cache, clock } = shelf();
    cache.put(cachedThread("a", 3));
    clock.now = ttlMs / 2;
    cache.put(cachedThread("b", 3));
    cache.put(cachedThread("c", 3, { turns: 0 }));
    clock.now = ttlMs;
    expect(cache.takeUnsaved().map(({ identity }) => identity.session)).toEqual(["b"]);
    expect(["a", "b", "c"].map((name) => cache.find(`head ${name}`)?.identity.session)).toEqual([
      undefined,
      undefined,
      "c",
    ]);
  });

  it("are forgotten when a store would have forgotten them", () => {
    const { cache, clock } = shelf();
    cache.put(cachedThread("a", 3));
    clock.now = ttlMs;
    expect(cache.find("head a")).toBeUndefined();
    expect(cache.take("a.t" as ThreadKey)).toBeUndefined();
    cache.put(cachedThread("b", 3));
    clock.now = 2 * ttlMs;
    expect(cache.put(cachedThread("c", 3))).toEqual([]);
  });
});

describe("a store behind cached threads", () => {
  it.each<readonly [string, Partial<CachedThread>, boolean]>([
    ["puts away first what it is asked for", {}, true],
    ["has it already where it is saved", { turns: 0 }, false],
  ])("%s", async (_, more, isThere) => {
    const { cache } = shelf();
    const store = memoryStore();
    const one = cachedThread("a", 3, more);
    cache.put(one);
    const found = await writeBackStore(cache, store, ttlMs).read(one.identity.thread);
    expect(found && readLedger(found.json)).toEqual(isThere ? one.save : undefined);
    expect(cache.find("head a")).toBeUndefined();
  });

  it("leads to the thread by its alias", async () => {
    const { cache } = shelf();
    cache.put(cachedThread("a", 3));
    const found = await writeBackStore(cache, memoryStore(), ttlMs).read("a3.alias" as ThreadKey);
    expect(found?.json).toBe("a.t");
  });

  it("puts away a thread that the store has forgotten, and none that it knows newer", async () => {
    for (const [version, isOurs] of [
      [7, true],
      [3, false],
    ] as const) {
      const { cache } = shelf();
      const store = memoryStore();
      const one = cachedThread("a", 3, { stored: storedCopy(version) });
      if (!isOurs) await store.write(one.identity.thread, "newer", 0, ttlMs);
      cache.put(one);
      const write = writeBackStore(cache, store, ttlMs).write(one.identity.thread, "mine", 1, ttlMs);
      expect([version, await write]).toEqual([version, true]);
    }
  });
});
