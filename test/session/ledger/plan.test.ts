import { expect, it } from "vitest";
import {
  identify,
  loadLedger,
  mergeHistory,
  noStoredLedger,
  saveJudgement,
  saveLedger,
} from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import { judgeWith, preset, sign } from "../../support/builders/detection.ts";
import { evidence } from "../../support/builders/evidence.ts";
import { call, conversation, numbered, times, upTo } from "../../support/builders/steps.ts";

const evaluation = { ...judgeWith({ policy: preset("local-planning") }), tellsPlan: true };
const run = numbered(conversation(times(4, (i) => call("click", { element: i }, `The page of number ${i}, in full.`))));
const identity = identify(evidence({ headers: { "x-unloop-session": "plan" } }), run, sign);
const ttlMs = 60_000;

/** A thread as one request finds it, and the two things that are kept of the request beside each other. */
async function requestOf(store: ReturnType<typeof memoryStore>, about: Conversation) {
  const found = await loadLedger(store, identity, about, sign);
  const merged = mergeHistory(found.ledger, about, evaluation);
  const said = { before: undefined, met: false, reachable: true, open: [], why: "" };
  const judgement = { ...said, key: merged.plan?.keys.at(-1) ?? "", distance: about.steps.length };
  const exchange = () => saveLedger(store, identity, found, merged, { conversation: () => about, evaluation, ttlMs });
  const asked = merged.plan ?? never();
  const score = () =>
    saveJudgement(store, identity, found, { judgement, asked, conversation: about, evaluation, ttlMs });
  return { exchange, score };
}

function never(): never {
  throw new Error("This is always there.");
}

const kept = async (store: ReturnType<typeof memoryStore>) => (await loadLedger(store, identity, run, sign)).ledger;

it.each(["before its request is", "after its request is", "while its request is"])(
  "what a judge says is kept in the thread's ledger, told %s saved, and no step is counted twice",
  async (order) => {
    const store = memoryStore();
    for (const steps of [1, 2, 3, 4]) {
      const { exchange, score } = await requestOf(store, upTo(run, steps));
      if (order.startsWith("before")) await score();
      const saving = exchange();
      if (order.startsWith("after")) await saving;
      if (!order.startsWith("before")) await score();
      expect(await saving).toBe(1);
    }
    const ledger = await kept(store);
    expect(ledger?.plan).toMatchObject({ taken: 4, distance: 4, judged: { of: 4 } });
    expect(ledger?.plan?.nodes.map(({ after }) => after)).toEqual([1, 2, 3, 4]);
    expect([ledger?.total, ledger?.pending?.fingerprint.key]).toEqual([3, ledger?.plan?.keys.at(-1)]);
  },
);

it("an older step's score, late, changes nothing", async () => {
  const store = memoryStore();
  const late = await requestOf(store, upTo(run, 1));
  await late.exchange();
  const newer = await requestOf(store, upTo(run, 2));
  await Promise.all([newer.exchange(), newer.score()]);
  const before = (await kept(store))?.plan;
  await late.score();
  expect((await kept(store))?.plan).toEqual(before);
});

it("a score does not bring back a thread that an operator has reset", async () => {
  const store = memoryStore();
  await (await requestOf(store, upTo(run, 1))).exchange();
  const { score } = await requestOf(store, upTo(run, 2));
  await store.remove(identity.thread);
  await score();
  expect(await kept(store)).toBe(noStoredLedger.ledger);
});
