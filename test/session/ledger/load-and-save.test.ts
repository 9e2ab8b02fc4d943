import { describe, expect, it } from "vitest";
import { mergeHistory, identify, loadLedger, saveLedger } from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import type { SessionStore } from "../../../src/store/store.ts";
import { requestWork } from "../../../src/work.ts";
import { judgeWith, sign } from "../../support/builders/detection.ts";
import { evidence } from "../../support/builders/evidence.ts";
import {
  call,
  conversation,
  numbered,
  shortened,
  times,
  upTo,
  withIds,
  counted,
} from "../../support/builders/steps.ts";

const evaluation = judgeWith();
const told = numbered(conversation(times(24, (i) => call("read", { page: i }, `text of page ${i}`))));
const identity = identify(evidence({ headers: { "x-unloop-session": "run-7" } }), told, sign);
const ttlMs = 60_000;

async function request(store: SessionStore, about: Conversation): Promise<number | undefined> {
  const kept = await loadLedger(store, identity, about, sign);
  const again = { conversation: () => about, evaluation, ttlMs };
  return saveLedger(store, identity, kept, mergeHistory(kept.ledger, about, evaluation), again);
}

const totalIn = async (store: SessionStore) => (await loadLedger(store, identity, told, sign)).ledger?.total;

it("saves all but the last step, which may still change", async () => {
  const store = memoryStore();
  expect(await request(store, upTo(told, 5))).toBe(5);
  expect(await totalIn(store)).toBe(4);
});

describe("twenty writers at once", () => {
  it("leave the longest history, whoever is first, and count each step once", async () => {
    for (const order of [(i: number) => i + 2, (i: number) => 21 - i, (i: number) => ((i * 7) % 20) + 2]) {
      const store = memoryStore();
      const added = await Promise.all(times(20, (i) => request(store, upTo(told, order(i)))));
      expect(added.reduce<number>((sum, steps) => sum + (steps ?? Number.NaN), 0)).toBe(21);
      expect(await totalIn(store)).toBe(20);
    }
  });

  it("lose none of each other's steps where each has its own", async () => {
    const store = memoryStore();
    const own = (i: number) => withIds(shortened(told, 22), counted(`w${i}-`));
    await Promise.all(times(20, (i) => request(store, own(i))));
    // Two steps each, the very last of them not counted yet.
    expect(await totalIn(store)).toBe(39);
  });
});

it("a slow old request does not replace what a newer one has saved", async () => {
  const store = memoryStore();
  const old = upTo(told, 5);
  const slow = await loadLedger(store, identity, old, sign);
  await request(store, upTo(told, 12));
  const again = { conversation: () => old, evaluation, ttlMs };
  expect(await saveLedger(store, identity, slow, mergeHistory(slow.ledger, old, evaluation), again)).toBe(0);
  expect(await totalIn(store)).toBe(11);
});

it("what was read by half, for its work was spent on the way, replaces nothing that another request has saved", async () => {
  const store = memoryStore();
  const half = { ...evaluation, work: requestWork() };
  const slow = await loadLedger(store, identity, told, sign);
  const merged = mergeHistory(slow.ledger, told, half);
  await request(store, upTo(told, 12));
  half.work.spend(1e9);
  const again = { conversation: () => told, evaluation: half, ttlMs };
  expect([await saveLedger(store, identity, slow, merged, again), await totalIn(store)]).toEqual([0, 11]);
});

it("gives up, and says so, when it never wins", async () => {
  const store: SessionStore = { ...memoryStore(), write: async () => false };
  expect(await request(store, told)).toBeUndefined();
});
