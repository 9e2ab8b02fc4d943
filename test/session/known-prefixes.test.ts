import { describe, expect, it } from "vitest";
import { advance, emptyLedger, type KnownPrefix, knownPrefixes, storeBehind } from "../../src/session/session.ts";
import { memoryStore } from "../../src/store/memory/memory.ts";
import { type SessionKey, sessionKey, type ThreadKey } from "../../src/store/store.ts";
import { defaultPolicy, judgeWith } from "../support/builders/detection.ts";
import { call, conversation, times } from "../support/builders/steps.ts";

const evaluation = judgeWith();
const ttlMs = 60_000;

function known(name: string, steps: number, thread = `${name}.t` as ThreadKey): KnownPrefix {
  const told = conversation(times(steps, (i) => call("read", { page: i }, `text of page ${i}`)));
  const tip = told.steps.reduce((ledger, step) => advance(ledger, step, evaluation), emptyLedger(told, evaluation));
  const identity = {
    session: name,
    label: name,
    source: "derived",
    isGiven: false,
    isCertain: false,
    key: name as SessionKey,
    thread,
    tenant: "t",
  };
  return {
    names: [`${name} ${steps}`],
    body: { length: steps, sum: 0, restLength: 2, restSum: 0 },
    asked: { model: "m", models: ["m"], terms: "", streams: false, asksForRepetition: false },
    ...{ identity, policy: defaultPolicy(), ledger: tip, tip, aliases: { alias: undefined, repeatsIds: false } },
  };
}

function memory(maxSteps = 1_000) {
  const clock = { now: 0 };
  return { clock, prefixes: knownPrefixes(ttlMs, () => clock.now, maxSteps) };
}

describe("known prefixes", () => {
  it("are found by the newest answer's calls, grow only, and only as long as they are there", () => {
    const { prefixes } = memory();
    const [three, four, five] = [known("a", 3), known("a", 4), known("a", 5)];
    prefixes.put(three, undefined);
    for (const one of [five, four]) prefixes.put(one, three);
    expect(["a 3", "a 5", "b 3"].map((name) => prefixes.find(name))).toEqual([undefined, five, undefined]);
    prefixes.dropSession("a" as SessionKey);
    prefixes.put(five, four);
    expect(prefixes.find("a 5")).toBeUndefined();
  });

  it("make room first where one tenant has more of them than another", () => {
    const { prefixes } = memory(60);
    const of = (tenant: string, name: string) => known(name, 12, `${sessionKey(name, tenant)}.t` as ThreadKey);
    prefixes.put(of("mine", "a"), undefined);
    for (let i = 0; i < 9; i++) prefixes.put(of("loud", `b${i}`), undefined);
    expect(prefixes.find("a 12")?.identity.session).toBe("a");
    expect(prefixes.steps()).toBeLessThanOrEqual(60);
  });

  it("are gone once their record is read, and stay while it is written", async () => {
    const { prefixes } = memory();
    const store = storeBehind(prefixes, memoryStore());
    const one = known("a", 3);
    prefixes.put(one, undefined);
    await store.write(one.identity.thread, "{}", 0, ttlMs);
    expect(prefixes.find("a 3")).toBe(one);
    await store.read(one.identity.thread);
    expect(prefixes.find("a 3")).toBeUndefined();
  });
});
