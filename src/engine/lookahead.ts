import { callCycle } from "./detectors/call-cycle.ts";
import { repeatedCall } from "./detectors/repeated-call.ts";
import { repeatedMessage } from "./detectors/repeated-message.ts";
import type { Detector, Finding } from "./finding.ts";
import type { Footprint } from "./fingerprint.ts";
import { isPoll } from "./view.ts";

/** How far back a step may lie that is about to be taken again. In steps. */
const REACH = 24;

/** All others look at what came back. */
export const foreseeing: readonly Detector[] = [repeatedCall, callCycle, repeatedMessage];

/** Whether a loop shows in what a step is before anything has come back for it. */
export function canForesee({ detector, grade }: Finding): boolean {
  return detector === "repeated-call" || detector === "call-cycle" || grade === "explanation";
}

/** A step of the window that an answer may take once more. */
export interface Repeatable {
  /** As it would look if everything came back as it did the last time. */
  readonly again: Footprint;
  /** How many steps before the window's end it was taken last; 1 is the last one. */
  readonly ago: number;
}

/**
 * The steps that could be taken again, each once.
 * @param least how often a step must have been taken; sends count from one
 * @param polls whether waiting counts, though nobody knows what the next look will bring
 */
export function repeatables(window: readonly Footprint[], least: number, polls: boolean): readonly Repeatable[] {
  const times = timesOf(window);
  const found = new Map<string, Repeatable>();
  for (let ago = 1; ago <= Math.min(REACH, window.length); ago++) {
    const print = window[window.length - ago];
    if (print === undefined || print.calls.length === 0 || found.has(print.act)) continue;
    if ((times.get(print.act) ?? 0) < least && !print.calls.every(({ kind }) => kind === "send")) continue;
    if (!polls && isPoll(print)) continue;
    found.set(print.act, { again: { ...print, heard: "nothing", heardSigs: [] }, ago });
  }
  return [...found.values()];
}

function timesOf(window: readonly Footprint[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { act } of window) times.set(act, (times.get(act) ?? 0) + 1);
  return times;
}
