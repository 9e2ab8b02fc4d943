import fc from "fast-check";
import { expect, it } from "vitest";
import { inspect, standardDetectorSettings } from "../../src/engine/engine.ts";
import { conversations } from "../support/builders/arbitraries.ts";
import { ledgerAfter } from "../support/builders/detection.ts";

it("settings that are left out are the standard ones", () => {
  fc.assert(
    fc.property(conversations, (told) => {
      const { window, total, requestedRepeats } = ledgerAfter(told);
      const situation = { window, total, requestedRepeats, elsewhere: 0 };
      expect(inspect(situation, standardDetectorSettings)).toEqual(inspect(situation));
      expect(inspect(situation, { "repeated-call": {}, "polite-closure": {} })).toEqual(inspect(situation));
    }),
  );
});

it("a setting changes its own detector and no other", () => {
  fc.assert(
    fc.property(conversations, (told) => {
      const { window, total, requestedRepeats } = ledgerAfter(told);
      const situation = { window, total, requestedRepeats, elsewhere: 0 };
      const others = (settings: Parameters<typeof inspect>[1]) =>
        inspect(situation, settings).filter(({ detector }) => detector !== "repeated-call");
      expect(others({ "repeated-call": { outcome: "any", window: 1, polls: "count" } })).toEqual(others({}));
    }),
  );
});
