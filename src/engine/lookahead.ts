import type { Detector, Prediction } from "./detector.ts";
import { detectors, type DetectorSettings, settingsFor, settingsWith } from "./detectors.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";
import { BLANK } from "../scan/scan.ts";
import { isPoll, timesOf } from "./steps.ts";
import { REACH } from "./view.ts";

export const predictingDetectors: readonly Detector[] = (detectors as readonly Detector[]).filter(
  ({ predicts }) => predicts !== undefined,
);

const predictions: ReadonlyMap<string, Detector["predicts"]> = new Map(
  predictingDetectors.map(({ name, predicts }) => [name, predicts]),
);

/** Whether a loop shows in what a step is before anything has come back for it. */
export function canPredict({ detector, grade }: { readonly detector: string; readonly grade?: string }): boolean {
  const predicts = predictions.get(detector);
  return predicts !== undefined && (predicts.grades === undefined || predicts.grades.includes(grade ?? ""));
}

/**
 * Names of the ladders of loops that are known for repetitions by their calls or by the words beside them, without those
 * that are told of a step that was taken but once before.
 */
export function predictedLadders(by: Prediction<never>["by"]): readonly string[] {
  return predictingDetectors.flatMap(({ name, grades, predicts }) => {
    if (predicts?.by !== by) return [];
    const ladders = (predicts.grades ?? Object.keys(grades)).filter((grade) => predicts.once?.includes(grade) !== true);
    return [...(predicts.grades === undefined ? [name] : []), ...ladders.map((grade) => `${name}:${grade}`)];
  });
}

export interface PredictionRules {
  readonly polls: boolean;
  readonly pages: boolean;
}

export function predictionRules(overrides: DetectorSettings = {}): PredictionRules {
  const settings = settingsWith(overrides);
  const says = (rule: "countsPolls" | "comparesPages") =>
    predictingDetectors.some(({ name, predicts }) => predicts?.[rule]?.(settingsFor(name, settings)) === true);
  return { polls: says("countsPolls"), pages: says("comparesPages") };
}

export interface Repeatable {
  /** As it would look if everything came back as it did the last time. */
  readonly again: Fingerprint;
  /**
   * How else it may look: with news, where what comes back has not been the same each time. A call that has always brought the
   * same is supposed to bring it once more.
   */
  readonly otherwise: readonly Fingerprint[];
  /** Distance of its last occurrence from the window's end, in steps; 1 is the last step. */
  readonly ago: number;
}

/**
 * The steps that could be taken again, each once.
 * @param least how often a step must have been taken; sends count from one
 */
export function repeatables(
  window: readonly Fingerprint[],
  least: number,
  { polls, pages }: PredictionRules,
): readonly Repeatable[] {
  const times = timesOf(window);
  const byTool = new Map<string, Repeatable>();
  for (let ago = 1; ago <= Math.min(REACH, window.length); ago++) {
    const fingerprint = window[window.length - ago];
    if (fingerprint === undefined || fingerprint.calls.length === 0 || byTool.has(fingerprint.callsHash)) continue;
    if ((times.get(fingerprint.callsHash) ?? 0) < least && !fingerprint.calls.every(({ kind }) => kind === "send"))
      continue;
    if (!polls && isPoll(fingerprint)) continue;
    byTool.set(fingerprint.callsHash, { ...suppositions(fingerprint, pages ? [] : window), ago });
  }
  return [...byTool.values()];
}

/** @param window in which the same calls may have brought something else */
function suppositions(last: Fingerprint, window: readonly Fingerprint[]): Omit<Repeatable, "ago"> {
  const earlier = new Map<string, Fingerprint>();
  for (const step of window) if (step.callsHash === last.callsHash) earlier.set(step.outcomesHash, step);
  const otherwise = earlier.size < 2 && !mayPass(last) ? [] : [...earlier.values()].map(withNews);
  return { again: unheard(last), otherwise };
}

/** All that has failed may succeed next time. */
const mayPass = ({ calls }: Fingerprint): boolean => calls.some(({ outcome }) => outcome?.cause === "transient");

const unheard = (step: Fingerprint): Fingerprint => ({ ...step, heard: "nothing", heardHashes: [] });

/** No signature has such a mark. */
const NEWS = "?news";

/** The same step with results that nothing like them has come back before, as well or as badly as they went; what may pass has passed. */
function withNews(step: Fingerprint): Fingerprint {
  const calls = step.calls.map((call) =>
    call.outcome === undefined ? call : { ...call, outcome: newsOf(call.outcome) },
  );
  return { ...unheard(step), calls, outcomesHash: NEWS };
}

function newsOf({ stem: _, ...outcome }: OutcomeFingerprint): OutcomeFingerprint {
  const failed = outcome.failed && outcome.cause !== "transient";
  return { ...outcome, failed, hash: NEWS, shape: NEWS, similarity: BLANK, slots: "", words: 0 };
}
