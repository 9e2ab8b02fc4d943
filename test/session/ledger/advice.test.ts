import { expect, it } from "vitest";
import type { GoalChange } from "../../../src/engine/engine.ts";
import {
  identify,
  loadLedger,
  mergeHistory,
  noStoredLedger,
  saveAdvice,
  saveLedger,
} from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import { judgeWith, preset, printOf, sign } from "../../support/builders/detection.ts";
import { evidence } from "../../support/builders/evidence.ts";
import { call, conversation, numbered, times, upTo } from "../../support/builders/steps.ts";

const evaluation = judgeWith({ policy: preset("local-planning") });
const run = numbered(conversation(times(4, (i) => call("click", { element: i }, `The page of number ${i}, in full.`))));
const identity = identify(evidence({ headers: { "x-unloop-session": "plan" } }), run, sign);
const ttlMs = 60_000;

async function requestOf(store: ReturnType<typeof memoryStore>, about: Conversation) {
  const found = await loadLedger(store, identity, about, sign);
  const merged = mergeHistory(found.ledger, about, evaluation);
  const at = about.steps.length - 1;
  const score = { distance: at, met: false, reachable: true, open: [], why: "" };
  const advice = { at, key: printOf(about.steps.at(-1) ?? never()).key, score };
  const shared = { evaluation, ttlMs };
  return {
    exchange: () => saveLedger(store, identity, found, merged, { conversation: () => about, ...shared }),
    advise: () => saveAdvice(store, { identity, stored: found, conversation: about }, advice, evaluation, ttlMs),
  };
}

function never(): never {
  throw new Error("This is always there.");
}

const kept = async (store: ReturnType<typeof memoryStore>) => (await loadLedger(store, identity, run, sign)).ledger;

it.each(["before its request is", "while its request is"])(
  "what a judge says is kept in the thread's ledger, told %s saved, and no step is counted twice",
  async (order) => {
    const store = memoryStore();
    for (const steps of [1, 2, 3, 4]) {
      const { exchange, advise } = await requestOf(store, upTo(run, steps));
      if (order.startsWith("before")) await advise();
      const saving = exchange();
      if (!order.startsWith("before")) await advise();
      expect(await saving).toBe(1);
    }
    const ledger = await kept(store);
    expect(ledger?.advice?.map(({ at, score }) => [at, score?.distance])).toEqual(times(4, (i) => [i, i]));
    expect(ledger?.total).toBe(3);
  },
);

it("what a judge says does not bring back a thread that an operator has reset", async () => {
  const store = memoryStore();
  await (await requestOf(store, upTo(run, 1))).exchange();
  const { advise } = await requestOf(store, upTo(run, 2));
  await store.remove(identity.thread);
  await advise();
  expect(await kept(store)).toBe(noStoredLedger.ledger);
});

const goalChange = (loop: string): GoalChange => ({
  ...{ kind: "revert", loop, count: 1, ago: 1, judgedAgo: 1 },
  course: { before: 3, after: 3, type: "menu", stands: true },
});
const told = (loop?: string) =>
  judgeWith({
    policy: preset("local-planning"),
    ...(loop !== undefined && { heed: () => ({ goalChange: goalChange(loop) }) }),
  });

it("what a plan's scores have led to is held against the last step of the request, and speaks of the one it is about", () => {
  const { now } = mergeHistory(undefined, upTo(run, 2), told("a"));
  expect(now).toMatchObject({
    ...{ step: 1, about: 0 },
    intervention: { detector: "goal-distance", grade: "revert", rung: "nudge", course: { type: "menu", stands: true } },
  });
});

it("the same request again is answered as before, whatever a judge has said since", () => {
  const first = mergeHistory(undefined, upTo(run, 2), told("a"));
  for (const later of [undefined, "b"]) {
    const again = mergeHistory(first.save, upTo(run, 2), told(later));
    expect(again.now).toEqual(first.now);
    expect(again.news).toBeUndefined();
  }
});
