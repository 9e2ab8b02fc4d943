import fc from "fast-check";
import { expect, it } from "vitest";
import { mergeHistory, type Intervention, type Ledger } from "../../../src/session/session.ts";
import type { Conversation } from "../../../src/step.ts";
import { conversations } from "../../support/builders/arbitraries.ts";
import { defaultPolicy, judgeWith, ledgerAfter, stored } from "../../support/builders/detection.ts";
import { numbered, upTo } from "../../support/builders/steps.ts";

/** Without what is suspected: how far such a run is told depends on what its model was told, which no history shows. */
const policy = defaultPolicy();
const certain = Object.entries(policy.ladders).map(([name, ladder]) => [
  name,
  ladder?.["second-nudge"] === undefined ? ladder : {},
]);
const evaluation = judgeWith({ policy: { ...policy, ladders: Object.fromEntries(certain) } });

/** Where each request ends, how often it is sent, and whether the ledger was lost before it. */
const request = fc.record({
  steps: fc.integer({ min: 1, max: 5 }),
  sent: fc.integer({ min: 1, max: 2 }),
  lost: fc.boolean(),
});
type Sent = { readonly steps: number; readonly sent: number; readonly lost: boolean };

function play(told: Conversation, plan: readonly Sent[], losing: boolean) {
  const seen: (readonly [number, Intervention | undefined])[] = [];
  let ledger: Ledger | undefined;
  let end = 0;
  for (const one of [...plan, { steps: told.steps.length, sent: 1, lost: false }]) {
    end = Math.min(told.steps.length, end + one.steps);
    if (losing && one.lost) ledger = undefined;
    for (let i = 0; i < one.sent; i++) {
      const { now, save } = mergeHistory(ledger, upTo(told, end), evaluation);
      if (save !== undefined) ledger = stored(save);
      seen.push([end - 1, now?.intervention]);
    }
  }
  return { seen, ledger };
}

const atOnce = (told: Conversation, step: number) =>
  ledgerAfter(upTo(told, step + 1), evaluation).interventions.find(({ at }) => at === step);

it("feeding a conversation in any portions, stored in between, equals feeding it at once", () => {
  fc.assert(
    fc.property(conversations, fc.array(request, { maxLength: 12 }), (told, plan) => {
      for (const conversation of [told, numbered(told)])
        for (const [step, now] of play(conversation, plan, false).seen) expect(now).toEqual(atOnce(conversation, step));
    }),
  );
});

it("losing the ledger at any time changes nothing for a client that sends its whole history", () => {
  fc.assert(
    fc.property(conversations, fc.array(request, { maxLength: 12 }), (told, plan) => {
      expect(play(told, plan, true).seen).toEqual(play(told, plan, false).seen);
    }),
  );
});

it("any two requests of one name never throw, and stay within bounds", () => {
  fc.assert(
    fc.property(conversations, conversations, fc.nat(20), (one, other, from) => {
      const { save } = mergeHistory(undefined, one, evaluation);
      const known = save === undefined ? undefined : stored(save);
      for (const next of [
        other,
        { ...one, steps: one.steps.slice(from) },
        { ...one, steps: [...one.steps, ...other.steps] },
      ]) {
        const followed = mergeHistory(known, next, evaluation);
        expect(followed.tip.total).toBeLessThanOrEqual((known?.total ?? 0) + next.steps.length + 1);
        for (const { step } of followed.earlier) expect(step).toBeLessThan(next.steps.length);
      }
    }),
  );
});
