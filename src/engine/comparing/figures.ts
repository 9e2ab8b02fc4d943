import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { numberOf, slotsIn } from "../../scan/scan.ts";
import { countingPlaces, movingPlaces } from "./movement.ts";
import { isPutToUse } from "./same-result.ts";

/** A result among those of its tool that are in the same words. */
export interface RankedResult {
  readonly outcome: OutcomeFingerprint;
  /** Signature of the call that brought it. */
  readonly hash: string;
  /** Position among the tool's calls. */
  readonly rank: number;
  /** Index of the act. */
  readonly at: number;
  /** Figures that the call asked with. */
  readonly requested: string;
  /** The call asks for the same, or nearly. */
  readonly isNear: boolean;
}

/** What the figures of results in the same words have done so far. */
export interface FigureHistory {
  /** Places whose figure counts the tool's calls, whatever they ask for. */
  readonly ordinals: readonly number[];
  /** Places whose figure counts acts: a revision, a job. */
  readonly counting: readonly number[];
  /** Places that lead somewhere. */
  readonly moving: readonly number[];
  /** What changes in them is known to change at random. */
  readonly isNoise: boolean;
  /** What changes at equal calls is what another call asks with. */
  readonly isUsed: boolean;
}

/**
 * @param results oldest first
 * @param calls all calls made meanwhile
 */
export function figureHistory(results: readonly RankedResult[], calls: readonly CallFingerprint[]): FigureHistory {
  const near = results.filter(({ isNear }) => isNear);
  const { outcome: last, hash } = results.at(-1) ?? {};
  if (last === undefined || last.slots === "") return NO_FIGURES;
  const ordinals = last.weight === "acknowledgement" ? [] : ordinalPlaces(results);
  const [outcomes, lap] = [near.map(({ outcome }) => outcome), lapOf(near)];
  const moving = movingPlaces(outcomes, lap).filter((place) => !ordinals.includes(place) && !isEcho(near, place));
  const equal = results.filter((result) => result.hash === hash).map(({ outcome }) => outcome);
  return {
    ordinals,
    counting: countingPlaces(outcomes, lap),
    moving,
    isNoise: near.length >= LEAST_RESULTS,
    isUsed: isPutToUse(equal, newsSince(hash, calls)),
  };
}

/** Acts from one result to the next, where that is always as many; else 1. */
function lapOf(results: readonly RankedResult[]): number {
  const laps = new Set(results.slice(1).map(({ at }, i) => at - (results[i]?.at ?? at)));
  return laps.size === 1 ? ([...laps][0] ?? 1) : 1;
}

/** The calls since an equal one that brought what none before them had: to use something in vain is no use. */
function newsSince(hash: string | undefined, calls: readonly CallFingerprint[]): readonly CallFingerprint[] {
  const seen = new Set<string>();
  const news = calls.map(({ tool, slots, outcome }) => {
    const figures = outcome?.failed === true ? "" : withoutFigures(outcome?.slots ?? "", slots);
    return seen.size !== seen.add(`${tool} ${outcome?.shape} ${figures}`).size;
  });
  const before = calls.slice(0, -1).findLastIndex((call) => call.hash === hash);
  return calls.filter((call, i) => i > before && news[i] === true && call.hash !== hash);
}

/** What a call asked with is no news, and neither are the figures of a failure. */
function withoutFigures(slots: string, requested: string): string {
  const asked = slotsIn(requested);
  return slotsIn(slots)
    .filter((slot) => !asked.includes(slot))
    .join("");
}

/** Fewer results do not show what changes at random. */
const LEAST_RESULTS = 4;

/** Nothing is known of them. */
export const NO_FIGURES: FigureHistory = { ordinals: [], counting: [], moving: [], isNoise: false, isUsed: false };

/** Places whose figure counts the tool's calls, up or down, whatever they ask for. */
function ordinalPlaces(results: readonly RankedResult[]): readonly number[] {
  const isMixed = results.some(({ rank, hash }, i) => {
    const before = results[i - 1];
    return before !== undefined && (rank - before.rank > 1 || hash !== before.hash);
  });
  if (!isMixed) return [];
  return placesOf(results).filter((place) =>
    [1, -1].some((sign) => changesBy(results, place, (one, before) => sign * (one.rank - before.rank))),
  );
}

/** Each call hears there what it asked with. */
function isEcho(results: readonly RankedResult[], place: number): boolean {
  return results.every(({ outcome, requested }) => slotsIn(requested).includes(slotAt(outcome, place)));
}

/** Of a large number the rest of a division is known, and about its size. */
function changesBy(
  results: readonly RankedResult[],
  place: number,
  step: (one: RankedResult, before: RankedResult) => number,
): boolean {
  return results.every((one, i) => {
    const before = results[i - 1];
    const now = numberOf(slotAt(one.outcome, place));
    if (now === undefined || now.sort !== "whole") return false;
    if (before === undefined) return true;
    const then = numberOf(slotAt(before.outcome, place));
    if (then === undefined || then.sort !== "whole") return false;
    const by = step(one, before);
    if (now.exact !== undefined && then.exact !== undefined) return now.exact - then.exact === by;
    return (now.rest - then.rest - by) % now.rests === 0 && Math.abs(now.size - then.size) <= 1;
  });
}

/** Two characters a slot. */
function slotAt(outcome: OutcomeFingerprint | undefined, place: number): string {
  return outcome?.slots.slice(2 * place, 2 * place + 2) ?? "";
}

function placesOf(results: readonly RankedResult[]): readonly number[] {
  return slotsIn(results[0]?.outcome.slots ?? "").map((_, place) => place);
}
