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

/** So many words that are equal outweigh one slot that is not: a counter in a long text is noise, alone it is the answer. */
const EQUAL_CALL: Weights = { name: 3, number: 4, share: 4, echo: 4 };
const STATE: Weights = { name: 4, number: Number.POSITIVE_INFINITY, share: Number.POSITIVE_INFINITY, echo: 4 };
/** Where a gesture has led to is told by numbers. */
const GESTURE: Weights = { name: 4, number: Number.POSITIVE_INFINITY, share: Number.POSITIVE_INFINITY, echo: 4 };
const OTHER_GESTURE: Weights = { name: 6, number: 16, share: 16, echo: 6 };
const OTHER_CALL: Weights = { name: 6, number: 16, share: 2, echo: 24 };
/** More was asked for, and the answer says so. */
const OTHER_SIZE: Weights = { name: 6, number: 16, share: 2, echo: 4 };
const LEAST_WORDS = 6;
/** A call that says so much makes something each time; of a shorter one the result says where it has led to. In words. */
const MAKES = 3;

type Maybe = OutcomeFingerprint | undefined;

/** Results of the same call that tell the same, but for what is new each time it is made. */
export function isSameButForSlots(one: CallFingerprint, other: CallFingerprint): boolean {
  const [a, b] = [one.outcome, other.outcome];
  if (a === undefined || b === undefined) return a === b;
  if (isSameWithAddendum(a, b)) return true;
  const difference = differenceOf(a, b);
  if (difference === undefined) return false;
  if (one.moves !== true && one.words >= SAYS_MUCH && difference.numbers + difference.shares <= 1) return true;
  return isOutweighed(a.words, difference, one.moves === true ? GESTURE : EQUAL_CALL);
}

/** A call that says so much is not made again to see another number. In words. */
const SAYS_MUCH = 6;

/** One of them goes on with a paragraph that the other has not: a hint, a reminder. */
function isSameWithAddendum(a: OutcomeFingerprint, b: OutcomeFingerprint): boolean {
  return (a.stem !== undefined && b.hash.startsWith(a.stem)) || (b.stem !== undefined && a.hash.startsWith(b.stem));
}

/** What is waited for looks as it did: another name may stand in it, and no other number. */
export function isSameState(a: Maybe, b: Maybe): boolean {
  if (a === undefined || b === undefined) return a === b;
  const difference = differenceOf(a, b);
  return difference !== undefined && isOutweighed(a.words, difference, STATE);
}

/** The reports of the same change made twice: they name what was made, each time anew. */
export function isSameReport(a: CallFingerprint, b: CallFingerprint): boolean {
  if (a.outcome === undefined || b.outcome === undefined) return false;
  const difference = differenceOf(a.outcome, b.outcome);
  return difference !== undefined && (difference.numbers + difference.shares === 0 || a.words >= MAKES);
}

/** Results of different calls that tell the same. */
export function isSameAnswer(a: CallFingerprint, b: CallFingerprint): boolean {
  const difference = answerDifference(a, b);
  return difference !== undefined && isOutweighed(a.outcome?.words ?? 0, difference, weightsFor(a, b));
}

function weightsFor(a: CallFingerprint, b: CallFingerprint): Weights {
  if (a.moves === true) return OTHER_GESTURE;
  return a.sized === true && b.sized === true ? OTHER_SIZE : OTHER_CALL;
}

/**
 * From one numbered place to another, with something new at each: a list is being walked. A chain, where each call asks for
 * what the one before it was given, is no list.
 */
export function isNextPlace(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const { names, numbers, shares } = answerDifference(earlier, later) ?? NONE;
  if (earlier.moves === true) return false;
  return names + numbers + shares > 0 && earlier.shape === later.shape && !asksForWhatCame(earlier, later);
}

function answerDifference(a: CallFingerprint, b: CallFingerprint): Difference | undefined {
  if (a.outcome === undefined || b.outcome === undefined) return undefined;
  return differenceOf(a.outcome, b.outcome, new Set(slotsIn(a.slots)));
}

function asksForWhatCame(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const came = new Set(slotsIn(earlier.outcome?.slots ?? ""));
  return slotsIn(later.slots).some((slot) => came.has(slot));
}

interface Weights {
  readonly name: number;
  readonly number: number;
  readonly share: number;
  readonly echo: number;
}

function isOutweighed(words: number, difference: Difference, weights: Weights): boolean {
  const { names, numbers, shares, echoes, equal } = difference;
  const weight = [
    names * weights.name,
    numbers && numbers * weights.number,
    shares && shares * weights.share,
    echoes * weights.echo,
  ];
  // Beside an id, numbers that stay say as much as words; beside other numbers one of them may be what is looked for.
  const commonWeight = numbers + shares === 0 ? words + equal : words;
  return (
    names + numbers + shares + echoes === 0 ||
    commonWeight >=
      Math.max(
        LEAST_WORDS,
        weight.reduce((a, b) => a + b),
      )
  );
}

/** What came back differently each time is what another call asks with: it is what the calls are made for. */
export function isPutToUse(results: readonly Maybe[], others: readonly CallFingerprint[]): boolean {
  const rows = results.map((result) => new Set(slotsIn(result?.slots ?? "")));
  const given = new Set(rows.flatMap((row) => [...row]).filter((slot) => !rows.every((row) => row.has(slot))));
  return given.size > 0 && others.some(({ slots }) => slotsIn(slots).some((slot) => given.has(slot)));
}
