import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { isName, isShare, type NumberToken, slotsIn } from "../../scan/scan.ts";

/** What one result has and the other has not, where all else is told in the same words. */
interface Difference {
  /** Ids, dates, digests. */
  readonly names: number;
  readonly numbers: number;
  /** Numbers from 0 to 1. */
  readonly shares: number;
  /** What a call asked with, and its result says again. */
  readonly echoes: number;
  /** Those that are no other. */
  readonly equal: number;
}

const NONE: Difference = { names: 0, numbers: 0, shares: 0, echoes: 0, equal: 0 };
/** Of more slots those in the middle are told by one code. */
const ONE_BY_ONE = 16;

/** Undefined where the words differ. @param asked the slots that the first call asked with */
export function differenceOf(
  a: OutcomeFingerprint,
  b: OutcomeFingerprint,
  requestNumbers: ReadonlySet<NumberToken> = NOTHING,
): Difference | undefined {
  if (a.hash === b.hash) return NONE;
  if (a.shape !== b.shape || a.slots.length !== b.slots.length || a.failed !== b.failed) return undefined;
  const [ours, theirs] = [slotsIn(a.slots), slotsIn(b.slots)];
  const left = countsOf(theirs.slice(0, ONE_BY_ONE));
  let [names, shares, echoes, equal] = [0, 0, 0, 0];
  let numbers = ours[ONE_BY_ONE] === theirs[ONE_BY_ONE] ? 0 : ONE_BY_ONE;
  for (const slot of ours.slice(0, ONE_BY_ONE)) {
    const there = left.get(slot) ?? 0;
    if (there > 0) {
      left.set(slot, there - 1);
      equal++;
    } else if (requestNumbers.has(slot)) echoes++;
    else if (isName(slot)) names++;
    else if (isShare(slot)) shares++;
    else numbers++;
  }
  return { names, numbers, shares, echoes, equal };
}

const NOTHING: ReadonlySet<NumberToken> = new Set();

function countsOf(slots: readonly NumberToken[]): Map<NumberToken, number> {
  const counts = new Map<NumberToken, number>();
  for (const slot of slots) counts.set(slot, (counts.get(slot) ?? 0) + 1);
  return counts;
}

/** So many words that are equal outweigh one slot that is not. */
const STATE: Weights = { name: 4, number: Number.POSITIVE_INFINITY, echo: 4 };
const OTHER_GESTURE: Weights = { name: 6, number: 16, echo: 6 };
const LEAST_WORDS = 6;
/** In so few words a number that counts the gestures may be the place itself. */
const DESCRIBES = 8;
/** A call that says so much makes something each time; of a shorter one the result says where it has led to. In words. */
const MAKES = 3;

type Maybe = OutcomeFingerprint | undefined;

/**
 * Two gestures have led to the same place: where one has led to is told by numbers.
 * @param ordinals of the numbers so many count the gestures
 */
export function isSamePlaceAfter(one: CallFingerprint, other: CallFingerprint, ordinals: number): boolean {
  const [a, b] = [one.outcome, other.outcome];
  const difference = a === undefined || b === undefined ? undefined : differenceOf(a, b, new Set(slotsIn(one.slots)));
  if (a === undefined || difference === undefined) return false;
  const numbers = Math.max(0, difference.numbers - (a.words >= DESCRIBES ? ordinals : 0));
  return isOutweighed(a.words, { ...difference, numbers }, one.hash === other.hash ? STATE : OTHER_GESTURE);
}

/** One of them goes on with a paragraph that the other has not: a hint, a reminder. */
export function hasAddendum(a: OutcomeFingerprint, b: OutcomeFingerprint): boolean {
  return (a.stem !== undefined && b.hash.startsWith(a.stem)) || (b.stem !== undefined && a.hash.startsWith(b.stem));
}

/** What is waited for looks as it did: another name may stand in it, and no other number. */
export function isSameState(a: Maybe, b: Maybe): boolean {
  if (a === undefined || b === undefined) return a === b;
  const difference = differenceOf(a, b);
  return difference !== undefined && isOutweighed(a.words, difference, STATE);
}

/**
 * The reports of the same change made twice: they name what was made, each time anew.
 * @param counting of the numbers so many count acts
 */
export function isSameReport(a: CallFingerprint, b: CallFingerprint, counting = 0): boolean {
  if (a.outcome === undefined || b.outcome === undefined) return false;
  const difference = differenceOf(a.outcome, b.outcome);
  return difference !== undefined && (difference.numbers + difference.shares <= counting || a.words >= MAKES);
}

/** A call asks with what an earlier one has brought. */
export function asksForWhatCame(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const came = new Set(slotsIn(earlier.outcome?.slots ?? ""));
  return slotsIn(later.slots).some((slot) => came.has(slot));
}

interface Weights {
  readonly name: number;
  readonly number: number;
  readonly echo: number;
}

function isOutweighed(words: number, difference: Difference, weights: Weights): boolean {
  const { names, echoes, equal } = difference;
  const numbers = difference.numbers + difference.shares;
  if (names + numbers + echoes === 0) return true;
  const weight = names * weights.name + (numbers && numbers * weights.number) + echoes * weights.echo;
  // Beside an id, numbers that stay say as much as words; beside other numbers one of them may be what is looked for.
  return words + (numbers === 0 ? equal : 0) >= Math.max(LEAST_WORDS, weight);
}

/** What came back differently each time is what another call asks with: it is what the calls are made for. */
export function isPutToUse(results: readonly Maybe[], others: readonly CallFingerprint[]): boolean {
  const rows = results.map((result) => new Set(slotsIn(result?.slots ?? "")));
  const varying = new Set(rows.flatMap((row) => [...row]).filter((slot) => !rows.every((row) => row.has(slot))));
  return varying.size > 0 && others.some(({ slots }) => slotsIn(slots).some((slot) => varying.has(slot)));
}
