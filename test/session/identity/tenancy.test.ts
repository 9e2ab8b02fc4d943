import { describe, expect, it } from "vitest";
import { identify, loadLedger, noStoredLedger } from "../../../src/session/session.ts";
import { memoryStores } from "../../../src/store/memory/memory.ts";
import type { Stores } from "../../../src/store/store.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { asAnswered, exchange, nowOf } from "../../support/builders/run.ts";
import { call, conversation, heard, numbered, shortened, times, upTo } from "../../support/builders/steps.ts";

const read = () => call("read", { path: "a" }, "the whole text of a");
const told = numbered(conversation([heard("Fix a."), ...times(6, read)]));
const newest = shortened(told, 5);

const by = (key: string, said: Said): Said => ({
  ...said,
  headers: { authorization: `Bearer ${key}`, ...said.headers },
});

/** A run of tenant A, up to its fifth step and the answer that is the sixth. */
async function runOfA(stores: Stores, said: Said): Promise<void> {
  for (let count = 0; count < 6; count++) {
    const step = told.steps[count] ?? read();
    const answer = { id: `resp-${count}`, step: asAnswered(step) };
    await exchange(stores, { said: by("a", said), about: upTo(told, count), answer });
  }
}

describe("tenant B with A's session id", () => {
  const ways: readonly { name: string; said: Said }[] = [
    { name: "in our header", said: { headers: { "x-unloop-session": "run-7" } } },
    { name: "as a cache key", said: { body: { prompt_cache_key: "run-7" } } },
    { name: "not at all, but with all of A's conversation", said: {} },
  ];

  it.each(ways)("$name reads nothing of A's", async ({ said }) => {
    const stores = memoryStores();
    await runOfA(stores, said);
    for (const about of [upTo(told, 5), told, newest, { ...newest, opening: ["Summary."] }]) {
      const asB = identify(evidence(by("b", said)), about, sign);
      expect(await loadLedger(stores.sessions, asB, about, sign)).toEqual(noStoredLedger);
      expect(await stores.counters.read(asB.key)).toEqual({});
    }
    const { followed } = await exchange(stores, { said: by("b", said), about: newest });
    expect(followed).toMatchObject({ now: undefined, earlier: [], tip: { total: 1 } });
  });

  it.each(ways)("$name leaves A's records as they were", async ({ said }) => {
    const stores = memoryStores();
    await runOfA(stores, said);
    const asA = identify(evidence(by("a", said)), told, sign);
    const before = { record: await stores.sessions.read(asA.thread), spent: await stores.counters.read(asA.key) };
    expect(before).toMatchObject({ record: { version: expect.any(Number) }, spent: { steps: 5 } });
    for (const about of [told, newest, upTo(told, 2)])
      await exchange(stores, { said: by("b", said), about, answer: { id: "resp-5", step: asAnswered(read()) } });
    expect(await stores.sessions.read(asA.thread)).toEqual(before.record);
    expect(await stores.counters.read(asA.key)).toEqual(before.spent);
    expect(nowOf(await exchange(stores, { said: by("a", said), about: told }))).toBe(
      "short-circuit repeated-call x6 at 5",
    );
  });

  it("finds nothing under the ids of A's answers", async () => {
    const stores = memoryStores();
    await runOfA(stores, {});
    const said: Said = { body: { previous_response_id: "resp-5" } };
    const about = { system: "", opening: [], steps: newest.steps };
    expect((await exchange(stores, { said: by("b", said), about })).followed.tip.total).toBe(1);
    expect((await exchange(stores, { said: by("a", said), about })).followed.tip.total).toBe(6);
  });

  it("cannot lead A elsewhere by leaving a trail for A's answers first", async () => {
    const stores = memoryStores();
    const step = asAnswered(told.steps[5] ?? read());
    await exchange(stores, { said: by("b", {}), about: upTo(told, 3), answer: { id: "resp-5", step } });
    await runOfA(stores, {});
    const { followed } = await exchange(stores, { said: by("a", {}), about: { ...newest, opening: ["Summary."] } });
    expect(followed.tip.total).toBe(6);
  });
});
