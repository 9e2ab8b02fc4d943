import { describe, expect, it } from "vitest";
import { advance, type CachedThread, emptyLedger, storeBehind, threadCache } from "../../../src/session/session.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import { type SessionKey, sessionKey, type ThreadKey } from "../../../src/store/store.ts";
import { defaultPolicy, judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, times } from "../../support/builders/steps.ts";

const evaluation = judgeWith();
const ttlMs = 60_000;

/** A cached thread of a run of so many steps. */
function cachedThread(name: string, steps: number): CachedThread {
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
    alias: `${name}${steps}.alias` as ThreadKey,
    terms: "",
    streams: false,
    asksForRepetition: false,
    repeatsIds: false,
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
  });

  it("go on where they are shorter, and only as long as they are there", () => {
    const { cache } = shelf();
    const [three, four, five] = [3, 4, 5].map((steps) => cachedThread("a", steps)) as [
      CachedThread,
      CachedThread,
      CachedThread,
    ];
    cache.put(three);
    expect([five, four].map((one) => cache.advance(one))).toEqual([3, 5]);
    expect(cache.find("head a")).toBe(five);
    cache.drop(five.identity.thread);
    expect([cache.advance(five), cache.find("head a")]).toEqual([undefined, undefined]);
  });

  it("make room when there are too many steps, the least recently used first", () => {
    const { cache } = shelf(50);
    for (const [name, steps] of [
      ["a", 12],
      ["b", 12],
      ["c", 12],
      ["a", 13],
      ["d", 14],
    ] as const)
      cache.put(cachedThread(name, steps));
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
      const one = cachedThread(name, 12);
      return { ...one, identity: { ...one.identity, thread: `${sessionKey(name, tenant)}.t` as ThreadKey } };
    };
    cache.put(of("mine", "a"));
    for (let i = 0; i < 9; i++) cache.put(of("loud", `b${i}`));
    expect(cache.find("head a")?.identity.session).toBe("a");
    expect(cache.steps()).toBeLessThanOrEqual(60);
  });

  it("are forgotten when a store would have forgotten them", () => {
    const { cache, clock } = shelf();
    cache.put(cachedThread("a", 3));
    clock.now = ttlMs;
    expect(cache.find("head a")).toBeUndefined();
  });

  it("are gone once their record is read, and stay while it is written", async () => {
    const { cache } = shelf();
    const store = storeBehind(cache, memoryStore());
    const one = cachedThread("a", 3);
    cache.put(one);
    await store.write(one.identity.thread, "{}", 0, ttlMs);
    expect(cache.find("head a")).toBe(one);
    await store.read(one.identity.thread);
    expect(cache.find("head a")).toBeUndefined();
  });
});
