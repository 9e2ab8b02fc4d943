import { checksum } from "../bytes.ts";

/** How a request's body ended, so that a later one can be seen to begin with all of it. Lengths in bytes, sums CRC-32. */
export interface Ending {
  /** Up to the end of its messages. */
  readonly length: number;
  readonly sum: number;
  /** What stood behind them. */
  readonly restLength: number;
  readonly restSum: number;
}

/** @param length where the body's messages end */
export function endingAt(body: Uint8Array, length: number): Ending {
  const rest = body.subarray(length);
  return { length, sum: checksum(body.subarray(0, length)), restLength: rest.length, restSum: checksum(rest) };
}

/** Where the new messages of a body end that repeats all the rest of an earlier one; undefined if it does not. */
export function endOfNews(body: Uint8Array, { length, sum, restLength, restSum }: Ending): number | undefined {
  const end = body.length - restLength;
  if (end <= length || checksum(body.subarray(end)) !== restSum) return undefined;
  return checksum(body.subarray(0, length)) === sum ? end : undefined;
}

/** The ending of a body whose news end there. */
export function endingAfter({ length, sum, restLength, restSum }: Ending, body: Uint8Array, end: number): Ending {
  return { length: end, sum: checksum(body.subarray(length, end), sum), restLength, restSum };
}
