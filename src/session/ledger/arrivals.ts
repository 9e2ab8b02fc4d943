import type { Sign } from "../../text/sign.ts";
import type { Step } from "../../step.ts";
import { type Ledger, prefixAfter, type StepRecord } from "./ledger.ts";

/** The arrivals of one request that were each answered whole and alike. */
export interface Arrivals {
  /** Times; Unix seconds, oldest first. */
  readonly at: readonly number[];
  /** Signature of what it asks for beside its conversation: at another temperature it is another request. */
  readonly terms: string;
  /** Signature of their answer; empty once two have differed: those are samples, and never count again. */
  readonly answer: string;
}

/** One arrival of a request. */
export type Arrival = Pick<Arrivals, "terms"> & { readonly at: number };

/** More are not remembered, so no ladder is higher. */
const MAX_ARRIVALS = 64;

/** @param samplingKey what else makes two requests with one history two different ones */
export function termsSignature(samplingKey: string, sign: Sign): string {
  return sign(`terms\u0000${samplingKey}`);
}

/** The step with the newest arrival of the request that ends with it, which has no answer yet. */
export function arrivedAgain(step: StepRecord, arrival: Arrival | undefined): StepRecord {
  const { arrivals } = step;
  if (arrivals === undefined) return step;
  return {
    ...step,
    arrivals: { ...arrivals, at: arrivals.terms === arrival?.terms ? [...arrivals.at, arrival.at] : [] },
  };
}

/**
 * The ledger after its last request was answered whole. An answer that says and calls nothing is none.
 * @param answer undefined for the guard's own to a storm, which is alike each time
 */
export function withAnswered(
  ledger: Ledger,
  arrival: Arrival | undefined,
  answer: Step | undefined,
  sign: Sign,
): Ledger {
  const { pending } = ledger;
  const isEmpty = answer?.calls.length === 0 && answer.text.trim() === "";
  if (pending === undefined || arrival === undefined || isEmpty) return ledger;
  const { at, terms } = arrival;
  const before = pending.arrivals?.terms === terms ? pending.arrivals : undefined;
  const signature = answer === undefined ? before?.answer : answerSignature(answer, sign);
  const isAlike = before === undefined || before.answer === signature;
  const arrivals: Arrivals = isAlike
    ? { at: [...(before?.at ?? []), at].slice(-MAX_ARRIVALS), terms, answer: signature ?? "" }
    : { at: [], terms, answer: "" };
  return { ...ledger, pending: { ...pending, arrivals } };
}

/** Signature of an answer without its calls' ids, which are new in each. */
function answerSignature({ calls, ...said }: Step, sign: Sign): string {
  return prefixAfter("", { ...said, calls: calls.map(({ id: _, ...call }) => call) }, sign);
}
