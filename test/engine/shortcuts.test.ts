import fc from "fast-check";
import { expect, it } from "vitest";
import type { Detector } from "../../src/engine/detector.ts";
import { detectors, settingsFor } from "../../src/engine/detectors.ts";
import { inspect, inspectAhead, standardDetectorSettings } from "../../src/engine/engine.ts";
import { canPredict } from "../../src/engine/lookahead.ts";
import { viewOf } from "../../src/engine/view.ts";
import { conversations } from "../support/builders/arbitraries.ts";
import { ledgerAfter } from "../support/builders/detection.ts";

const situations = conversations.map((told) => {
  const { window, total, requestedRepeats } = ledgerAfter(told);
  return { window, total, requestedRepeats, elsewhere: 0 };
});

it("a step that repeats nothing gives the findings that it would give if it were looked at closely", () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const view = viewOf(situation);
      for (const detector of detectors as readonly Detector[]) {
        const settings = settingsFor(detector.name, standardDetectorSettings);
        expect(detector.detect(view, settings)).toEqual(detector.detect({ ...view, repeats: true }, settings));
      }
    }),
  );
});

it("what is foreseen is what all detectors find, as far as it shows before an outcome", () => {
  fc.assert(
    fc.property(situations, (situation) => {
      expect(inspectAhead(situation)).toEqual(inspect(situation).filter(canPredict));
    }),
  );
});
