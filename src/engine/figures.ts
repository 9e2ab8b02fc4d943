import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";
import { hasSlot, type NumberSlot, numberOf, SIZES, slotAt, slotsIn, type NumberToken } from "../scan/scan.ts";

export interface RankedResult {
  readonly outcome: OutcomeFingerprint;
  readonly call: CallFingerprint;
  readonly rank: number;
  readonly at: number;
  /** The call asks for the same as the newest one, or nearly. */
  readonly isNear: boolean;
}

export interface FigureHistory {
  /** Number of places whose figure counts the tool's calls, whatever they ask for. */
  readonly counters: number;
  /** Number of those whose figure counts acts, with others in between: a revision, a job. */
  readonly serials: number;
  /** Places that lead somewhere: they move one way, and count neither calls nor acts. */
  readonly moving: readonly number[];
  /** What changes in the others is known to change at random. */
  readonly isNoise: boolean;
}

export const NO_FIGURES: FigureHistory = { counters: 0, serials: 0, moving: [], isNoise: false };

/** Fewer results do not show a count of acts. */
const LEAST_LAPS = 3;
const LEAST_RESULTS = 4;

/** @param results oldest first, the one to judge last */
export function figureHistory(results: readonly RankedResult[]): FigureHistory {
  const last = results.at(-1);
  if (last === undefined || last.outcome.slots === "") return NO_FIGURES;
  const near = results.filter(({ isNear }) => isNear);
  const places = slotsIn(last.outcome.slots).map((_, place) => place);
  const counters = places.filter((place) => countsCalls(results, place));
  return {
    counters: last.outcome.weight === "acknowledgement" ? 0 : counters.length,
    serials:
      lapOf(near) === 1 || near.length < LEAST_LAPS ? 0 : places.filter((place) => countsActs(near, place)).length,
    moving: places.filter((place) => !counters.includes(place) && !isEcho(near, place) && isMoving(near, place)),
    isNoise: near.length >= LEAST_RESULTS,
  };
}

export function standsAlike(a: OutcomeFingerprint, b: OutcomeFingerprint, places: readonly number[]): boolean {
  return places.every((place) => slotAt(a.slots, place) === slotAt(b.slots, place));
}

/** Whether a number counts up, or down, by as much each time as the tool was called, whatever was asked. */
function countsCalls(results: readonly RankedResult[], place: number): boolean {
  const isMixed = pairsOf(results).some(
    ([before, one]) => one.rank - before.rank > 1 || one.call.hash !== before.call.hash,
  );
  return isMixed && [1, -1].some((sign) => growsBy(results, place, (before, one) => sign * (one.rank - before.rank)));
}

/** Shorter laps are those of waiting: what moves by a few each time may be what is waited for. */
const SHORTEST_LAP = 3;

/** Whether a number becomes one more with each result, or in longer laps by as much each time as a lap has acts at most. */
function countsActs(results: readonly RankedResult[], place: number): boolean {
  const lap = lapOf(results);
  const strides = Array.from({ length: lap < SHORTEST_LAP ? 1 : lap }, (_, i) => i + 1);
  return results.length > 1 && strides.some((stride) => growsBy(results, place, () => stride));
}

/** Acts from one result to the next, where that is always as many; else 1. */
function lapOf(results: readonly RankedResult[]): number {
  const laps = new Set(pairsOf(results).map(([before, one]) => one.at - before.at));
  return laps.size === 1 ? ([...laps][0] ?? 1) : 1;
}

/** Becomes more, or less, with pauses or without. What goes up and down is noise, and so are ids and digests. */
function isMoving(results: readonly RankedResult[], place: number): boolean {
  const moves = movesAt(results, place) ?? [];
  if (!isOneWay(moves)) return false;
  // A look that found what the one before it had found is not counted by what stands there.
  return moves.length < results.length || moves.every(({ sort }) => sort === "part") || !countsActs(results, place);
}

/** The numbers of a place, each once as long as it stays; undefined where other things stand there. */
function movesAt(results: readonly RankedResult[], place: number): readonly NumberSlot[] | undefined {
  const numbers = results.map(({ outcome }) => numberOf(slotAt(outcome.slots, place)));
  const known = numbers.filter((number) => number !== undefined);
  const isNumber = known.length === numbers.length;
  return isNumber ? known.filter((number, i) => i === 0 || !isEqual(number, known[i - 1])) : undefined;
}

function isOneWay(moves: readonly NumberSlot[]): boolean {
  const ways = new Set(moves.slice(1).map((number, i) => Math.sign(stepTo(number, moves[i] ?? number))));
  ways.delete(0);
  return moves.length > 1 && ways.size < 2;
}

const isEqual = (a: NumberSlot, b: NumberSlot | undefined): boolean =>
  a.sort === b?.sort && a.rest === b.rest && a.size === b.size;

/** By how much: of large numbers in steps of their size, up to sixteenfold. 0 where it does not show. */
function stepTo(later: NumberSlot, earlier: NumberSlot): number {
  if (later.sort !== earlier.sort) return 0;
  const sizes = (later.size - earlier.size + SIZES) % SIZES;
  const step = sizes < SIZES / 2 ? sizes : sizes - SIZES;
  if (later.exact === undefined || earlier.exact === undefined) return step;
  const exact = later.exact - earlier.exact;
  return exact * step < 0 ? 0 : exact;
}

function isEcho(results: readonly RankedResult[], place: number): boolean {
  return results.every(({ outcome, call }) => hasSlot(call.slots, slotAt(outcome.slots, place)));
}

/** Of a large number the rest of a division is known, and about its size. */
function growsBy(
  results: readonly RankedResult[],
  place: number,
  strideOf: (before: RankedResult, one: RankedResult) => number,
): boolean {
  return pairsOf(results).every(([before, one]) =>
    isLater(slotAt(before.outcome.slots, place), slotAt(one.outcome.slots, place), strideOf(before, one)),
  );
}

/** Whether a number is another and so much more, as far as their slots tell. */
export function isLater(earlier: NumberToken, later: NumberToken, by: number): boolean {
  const [then, now] = [numberOf(earlier), numberOf(later)];
  if (then === undefined || then.sort !== now?.sort || then.sort === "part") return false;
  if (now.exact !== undefined && then.exact !== undefined) return now.exact - then.exact === by;
  return (now.rest - then.rest - by) % now.rests === 0 && Math.abs(now.size - then.size) <= 1;
}

function pairsOf<One>(row: readonly One[]): readonly (readonly [One, One])[] {
  return row.slice(1).map((one, i) => [row[i] ?? one, one]);
}
