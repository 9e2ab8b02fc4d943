import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspect } from "../../src/engine/engine.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import type { EvaluationContext } from "../../src/session/session.ts";
import type { Conversation } from "../../src/step.ts";
import { conversations } from "../support/builders/arbitraries.ts";
import { judgeWith, ledgerAfter } from "../support/builders/detection.ts";
import { withIds } from "../support/builders/steps.ts";

/** All that is found at the last step, but for the loops' names, and for those of tools whose own is no name: those are keyed. */
function unnamed(told: Conversation, evaluation: EvaluationContext = judgeWith()) {
  const { window, total, requestedRepeats } = ledgerAfter(told, evaluation);
  return inspect({ window, total, requestedRepeats, elsewhere: 0 }).map(({ loop: _, ...finding }) =>
    JSON.parse(JSON.stringify(finding).replaceAll(/signed:[\w-]{12}/g, "signed")),
  );
}

describe("whatever a conversation holds", () => {
  it("another secret gives the same findings under other names", () => {
    const other = judgeWith({ sign: keyedHash("another secret") });
    fc.assert(
      fc.property(conversations, (told) => {
        expect(unnamed(told, other)).toEqual(unnamed(told));
      }),
    );
  });

  it("call ids make no difference: none, all equal, all different", () => {
    fc.assert(
      fc.property(conversations, (told) => {
        let next = 0;
        const plain = unnamed(told);
        expect(unnamed(withIds(told, () => "same"))).toEqual(plain);
        expect(unnamed(withIds(told, () => `id${next++}`))).toEqual(plain);
      }),
    );
  });

  it("the order of parallel calls makes no difference", () => {
    fc.assert(
      fc.property(conversations, (told) => {
        const steps = told.steps.map((step, i) => (i % 2 === 0 ? step : { ...step, calls: [...step.calls].reverse() }));
        expect(unnamed({ ...told, steps })).toEqual(unnamed(told));
      }),
    );
  });

  it("evidence is given oldest first, within the thread, and ends at the step that is judged", () => {
    fc.assert(
      fc.property(conversations, (told) => {
        for (const { evidence, note } of unnamed(told)) {
          expect(evidence).toEqual([...evidence].sort((a, b) => a - b));
          expect(evidence.at(-1)).toBe(told.steps.length - 1);
          expect(evidence[0]).toBeGreaterThanOrEqual(0);
          expect(note).not.toMatch(/\n/);
        }
      }),
    );
  });
});
