import { detectors } from "./detectors.ts";
import type { Finding } from "./finding.ts";
import type { Footprint } from "./footprint.ts";
import { viewOf } from "./view.ts";

export { askedRepeats } from "./asked-repeats.ts";
export { type DetectorName, detectorNames, type Finding } from "./finding.ts";
export { type Footprint, footprint, stepKey, type ToolRules } from "./footprint.ts";
export type { Sign } from "./sign.ts";
export { heardSignature, isNews } from "./speech.ts";
export { withoutStamps } from "./volatile.ts";

/** Steps that are kept and looked at. */
export const WINDOW = 64;

/**
 * What all detectors find at the last step of a window.
 * @param window the thread's last steps, oldest first, at most `WINDOW`
 * @param total steps of the thread so far
 * @param asked how often the user asked for the same thing to be done
 */
export function inspect(window: readonly Footprint[], total: number, asked = 0): readonly Finding[] {
  const view = viewOf(window, total, asked);
  return detectors.flatMap((detector) => detector(view));
}
