import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { type NumberSlot, numberOf, SIZES, type NumberToken, slotsIn } from "../../scan/scan.ts";

type Maybe = Pick<OutcomeFingerprint, "hash" | "slots"> | undefined;

/**
 * The places of equal calls' results whose figures move: they become more each time, or less, and not by one at every call,
 * which counts the calls. What goes up and down is noise, and so are ids and digests.
 * @param results one after the other, in the same words
 * @param lap acts from one to the next, where that is always as many: a figure that moves by no more counts the acts
 */
export function movingPlaces(results: readonly Maybe[], lap = 1): readonly number[] {
  const rows = results.map((result) => slotsIn(result?.slots ?? ""));
  return (rows[0] ?? []).flatMap((_, place) =>
    isMoving(
      rows.map((row) => row[place] ?? ""),
      lap,
    )
      ? [place]
      : [],
  );
}

/** The places of such results whose figures count acts. */
export function countingPlaces(results: readonly Maybe[], lap: number): readonly number[] {
  const rows = results.map((result) => slotsIn(result?.slots ?? "").map(numberOf));
  return (rows[0] ?? []).flatMap((_, place) => {
    const numbers = rows.map((row) => row[place]).filter((number) => number !== undefined);
    return rows.length > 1 && numbers.length === rows.length && isCounting(numbers, lap) ? [place] : [];
  });
}

/** Whether two results have the same figures in these places, and what differs shows in others. */
export function standsAlike(one: Maybe, other: Maybe, places: readonly number[]): boolean {
  const [ours, theirs] = [slotsIn(one?.slots ?? ""), slotsIn(other?.slots ?? "")];
  return !movesUnseen(one, other) && places.every((place) => ours[place] === theirs[place]);
}

/** Two results with figures differ, and no figure shows it: it moved by too little for its size. */
export function movesUnseen(one: Maybe, other: Maybe): boolean {
  return one !== undefined && one.hash !== other?.hash && one.slots === other?.slots && one.slots !== "";
}

function isMoving(values: readonly NumberToken[], lap: number): boolean {
  const numbers = values.map(numberOf).filter((number) => number !== undefined);
  const moves = numbers.filter((number, i) => i === 0 || !isEqual(number, numbers[i - 1]));
  if (numbers.length < values.length || moves.length < 2 || !isOneWay(moves)) return false;
  // A look that found what the one before it had found is not counted by what stands there.
  return moves.length < numbers.length || moves.every(({ sort }) => sort === "part") || !isCounting(moves, lap);
}

function isEqual(a: NumberSlot, b: NumberSlot | undefined): boolean {
  return a.sort === b?.sort && a.rest === b.rest && a.size === b.size;
}

function isOneWay(numbers: readonly NumberSlot[]): boolean {
  const steps = new Set(numbers.slice(1).map((number, i) => Math.sign(stepTo(number, numbers[i] ?? number))));
  steps.delete(0);
  return steps.size <= 1;
}

/** By how much: of large numbers in steps of their size, up to sixteenfold. 0 where it does not show. */
function stepTo(later: NumberSlot, earlier: NumberSlot): number {
  if (later.sort !== earlier.sort) return 0;
  const sizes = (later.size - earlier.size + SIZES) % SIZES;
  const step = sizes < SIZES / 2 ? sizes : sizes - SIZES;
  if (later.exact === undefined || earlier.exact === undefined) return step;
  const exact = later.exact - earlier.exact;
  return exact * step < 0 ? 0 : exact;
}

/** Shorter laps are those of waiting: what moves by a few each time may be what is waited for. */
const SHORTEST_LAP = 3;

/** One more each time, or as many more as a lap has acts at most. */
function isCounting(numbers: readonly NumberSlot[], lap: number): boolean {
  const stride = strideOf(numbers[0], numbers[1]);
  if (stride === undefined || stride < 1 || (stride > 1 && (lap < SHORTEST_LAP || stride > lap))) return false;
  let grown = 0;
  return numbers.slice(1).every((number, i) => {
    const before = numbers[i] ?? number;
    if (strideOf(before, number) !== stride) return false;
    grown += number.exact === undefined || before.exact === undefined ? stepTo(number, before) : 0;
    return grown <= 1 + (i * stride) / RESTS;
  });
}

/** Of a large number as far as the rest of its division tells, where it is of about the same size. */
function strideOf(earlier: NumberSlot | undefined, later: NumberSlot | undefined): number | undefined {
  if (earlier === undefined || later === undefined) return undefined;
  const step = stepTo(later, earlier);
  if (later.exact !== undefined && earlier.exact !== undefined) return step;
  return step < 0 ? undefined : (later.rest - earlier.rest + later.rests) % later.rests;
}

/** So many calls make so large a number hardly a size larger. */
const RESTS = 16;
