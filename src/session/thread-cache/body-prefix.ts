import { checksum } from "../../text/bytes.ts";

/** Checksums of a request's body, by which a later body is recognised as a continuation. Lengths in bytes, sums CRC-32. */
export interface BodyPrefix {
  /** Length up to the end of the messages. */
  readonly length: number;
  readonly sum: number;
  /** From here on, and in the first `ENDS` bytes, it is looked at when its middle is not. */
  readonly since: number;
  /** Checksum of these two stretches. */
  readonly ends: number;
  /** Length of the body behind its messages. */
  readonly restLength: number;
  readonly restSum: number;
}

/** How much of a long history is looked at from either end, at least. In bytes. */
const ENDS = 16 * 1024;
/** So long the stretch at its end may become before it is begun anew. */
const LONGEST = 2 * ENDS;

/** @param length where the body's messages end */
export function bodyPrefixAt(body: Uint8Array, length: number): BodyPrefix {
  const rest = body.subarray(length);
  const sum = checksum(body.subarray(0, length));
  const { since, ends } = endsOf(body, 0, length, sum);
  return { length, sum, since, ends, restLength: rest.length, restSum: checksum(rest) };
}

/**
 * Where the new messages of a body end that repeats all the rest of an earlier one; undefined if it does not.
 * @param isKnown who sends it is known by a name that no other run has: of a long history its ends then tell enough, for one
 *   that was changed in its middle is still the same run with as many steps
 */
export function endOfAddition(body: Uint8Array, ending: BodyPrefix, isKnown: boolean): number | undefined {
  const { length, sum, since, ends, restLength, restSum } = ending;
  const end = body.length - restLength;
  if (end <= length || checksum(body.subarray(end)) !== restSum) return undefined;
  const isSame = isKnown && since > ENDS ? sumOfEnds(body, since, length) === ends : sumOf(body, length) === sum;
  return isSame ? end : undefined;
}

/** The ending of a body whose news end there. */
export function extendedPrefix(before: BodyPrefix, body: Uint8Array, end: number): BodyPrefix {
  const { restLength, restSum } = before;
  const news = body.subarray(before.length, end);
  const sum = checksum(news, before.sum);
  const { since, ends } = endsOf(body, before.since, end, sum, () => checksum(news, before.ends));
  return { length: end, sum, since, ends, restLength, restSum };
}

/** @param goneOn the sum as it is if the stretch at the end only goes on */
function endsOf(
  body: Uint8Array,
  since: number,
  length: number,
  sum: number,
  goneOn?: () => number,
): Pick<BodyPrefix, "since" | "ends"> {
  const isShort = length <= ENDS + LONGEST;
  if (isShort) return { since: 0, ends: sum };
  if (goneOn !== undefined && since > 0 && length - since <= LONGEST) return { since, ends: goneOn() };
  return { since: length - ENDS, ends: sumOfEnds(body, length - ENDS, length) };
}

const sumOf = (body: Uint8Array, length: number): number => checksum(body.subarray(0, length));

function sumOfEnds(body: Uint8Array, since: number, length: number): number {
  return checksum(body.subarray(since, length), sumOf(body, ENDS));
}
