import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { type NumberSlot, numberOf, SIZES, type NumberToken, slotsIn } from "../../scan/scan.ts";

type Maybe = Pick<OutcomeFingerprint, "hash" | "slots"> | undefined;

/**
 * The places of equal calls' results whose figures move: they become more each time, or less, and not by one at every call,
 * which counts the calls. What goes up and down is noise, and so are ids and digests.
 * @param results one after the other, in the same words
 */
export function movingPlaces(results: readonly Maybe[]): readonly number[] {
  const rows = results.map((result) => slotsIn(result?.slots ?? ""));
  return (rows[0] ?? []).flatMap((_, place) => (isMoving(rows.map((row) => row[place] ?? "")) ? [place] : []));
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

function isMoving(values: readonly NumberToken[]): boolean {
  const numbers = values.map(numberOf).filter((number) => number !== undefined);
  const moves = numbers.filter((number, i) => i === 0 || !isEqual(number, numbers[i - 1]));
  if (numbers.length < values.length || moves.length < 2 || !isOneWay(moves)) return false;
  // A look that found what the one before it had found is not counted by what stands there.
  return moves.length < numbers.length || moves.every(({ sort }) => sort === "part") || !isCounting(moves);
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

/** One more each time. */
function isCounting(numbers: readonly NumberSlot[]): boolean {
  let grown = 0;
  return numbers.slice(1).every((number, i) => {
    const before = numbers[i] ?? number;
    const step = stepTo(number, before);
    if (number.exact !== undefined && before.exact !== undefined) return step === 1;
    grown += step;
    return (number.rest - before.rest + number.rests) % number.rests === 1 && step >= 0 && grown <= 1 + i / RESTS;
  });
}

/** So many calls make so large a number hardly a size larger. */
const RESTS = 16;
