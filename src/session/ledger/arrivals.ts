import type { Sign } from "../../text/sign.ts";
import type { RequestMetadata } from "../identity/sources.ts";

/** One arrival of a request; retries arrive again. */
export interface Arrival {
  /** Unix time, seconds. */
  readonly at: number;
  /** Signature of what it asks for beside its conversation: at another temperature it is another request. */
  readonly terms: string;
  /** Whether it counts as a repetition if the same request came before. */
  readonly counts: boolean;
}

/** The arrivals of one request. */
export interface Arrivals {
  /** Times of the arrivals that count; Unix seconds, oldest first. */
  readonly at: readonly number[];
  readonly terms: string;
}

/** More are not remembered, so no ladder is higher. */
const MAX_ARRIVALS = 64;

/** Headers that number the attempts at one request, with the number of the first. */
const ATTEMPTS = [
  // The official SDKs, which give up after two or three.
  { name: "x-stainless-retry-count", first: 0 },
  { name: "x-envoy-attempt-count", first: 1 },
];

/** @param samplingKey what else makes two requests with one history two different ones */
export function arrivalOf(
  { header }: Pick<RequestMetadata, "header">,
  samplingKey: string,
  at: number,
  sign: Sign,
): Arrival {
  const terms = sign(`terms\u0000${samplingKey}`);
  return { at, terms, counts: isFirstAttempt(header) };
}

export function isFirstAttempt(header: RequestMetadata["header"]): boolean {
  return ATTEMPTS.every(({ name, first }) => !(Number(header(name)) > first));
}

/** @param before of the same conversation; undefined if it is new. The same object if nothing is to be added. */
export function arrivalsAfter(before: Arrivals | undefined, { at, terms, counts }: Arrival): Arrivals {
  if (before === undefined || before.terms !== terms) return { at: [at], terms };
  return counts ? { at: [...before.at, at].slice(-MAX_ARRIVALS), terms } : before;
}
