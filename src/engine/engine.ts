import { detectors } from "./detectors.ts";
import type { Finding } from "./finding.ts";
import { type Situation, viewOf } from "./view.ts";

export { askedRepeats } from "./asked-repeats.ts";
export { type DetectorName, detectorNames, type Finding } from "./finding.ts";
export { type Footprint, footprint, stepKey, type ToolRules } from "./footprint.ts";
export type { Sign } from "./sign.ts";
export { heardSignature, isNews } from "./speech.ts";
export { withoutStamps } from "./volatile.ts";

/** Steps that are kept and looked at. */
export const WINDOW = 64;

/** What all detectors find at the last step of a thread's window: its last steps, oldest first, at most `WINDOW`. */
export function inspect(situation: Situation): readonly Finding[] {
  const view = viewOf(situation);
  return detectors.flatMap((detector) => detector(view));
}
