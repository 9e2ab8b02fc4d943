import type { Detector } from "./detector.ts";
import {
  type DetectorName,
  detectors,
  type DetectorSettings,
  type Finding,
  settingsFor,
  settingsWith,
} from "./detectors.ts";
import { canPredict, predictingDetectors } from "./lookahead.ts";
import { type Situation, viewOf } from "./view.ts";
import { beyondWish } from "./wish.ts";

export {
  type DetectionSettings,
  type DetectorName,
  type DetectorSettings,
  detectorNames,
  detectorsThatNeed,
  type Finding,
  grades,
  settingTables,
  standardDetectorSettings,
  type Subject,
  subjectOf,
} from "./detectors.ts";
export { laddersOfLimit } from "./detectors/limits.ts";
export { doubtIn } from "./detectors/judged.ts";
export { predictedLadders, predictionRules, repeatables } from "./lookahead.ts";
export { memoizeByRef } from "./memoize-by-ref.ts";
export { relayedStep, withShownStates } from "./fingerprint/relayed.ts";
export { saidOf, type ToolRules } from "./fingerprint/call-fingerprint.ts";
export type { DetectorSetting, Ending } from "./detector.ts";
export { type Fingerprint, fingerprintOf, readStep, stepKey, stepWork } from "./fingerprint/fingerprint.ts";
export { asksForCompaction, bringsNews, heardSignature, isNews } from "./reading/speech.ts";
export { fingerprintCodec } from "./fingerprint/codec.ts";
export { knownLists, withResultItems } from "./reading/user-list.ts";
export { asksForRepetition, standingWish, type Wish, wishIn } from "./reading/requested-repeats.ts";
export { type GoalChange, type PlanProgress, type RunUsage, type Situation, WINDOW } from "./view.ts";
export { withNote } from "./steps.ts";
export { isWaitingArgument, withoutStamps } from "./fingerprint/volatile.ts";
export { readOutcome } from "./reading/outcome.ts";
export { repeatsLeft } from "./wish.ts";

/** What all detectors find at the last step of a thread's window: its last steps, oldest first, at most `WINDOW`. */
export function inspect(situation: Situation, settings?: DetectorSettings): readonly Finding[] {
  return findingsOf(detectors, situation, settings);
}

/** Findings at the last step that show before its outcomes are known. */
export function inspectAhead(situation: Situation, settings?: DetectorSettings): readonly Finding[] {
  return findingsOf(predictingDetectors, situation, settings).filter(canPredict);
}

function findingsOf(
  candidates: readonly Detector[],
  situation: Situation,
  overrides = NOTHING_CHOSEN,
): readonly Finding[] {
  const view = viewOf(situation);
  const settings = settingsWith(overrides);
  const findings: Finding[] = [];
  for (const detector of candidates)
    for (const finding of detector.detect(view, settingsFor(detector.name, settings)))
      findings.push({ ...finding, detector: detector.name as DetectorName });
  return view.requestedRepeats < 3 || findings.length === 0 ? findings : beyondWish(findings, view);
}

const NOTHING_CHOSEN: DetectorSettings = {};
