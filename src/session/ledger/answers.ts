import { fingerprintOf } from "../../engine/engine.ts";
import { doneNames, type Policy } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import type { Sign } from "../../text/sign.ts";
import { requestWork } from "../../work.ts";
import { type EvaluationContext, type Intervention, type Ledger, type OpenStep, prefixAfter, reach } from "./ledger.ts";

/** The arrivals of one request that were each answered whole and alike. */
export interface Arrivals {
  /** Times; Unix seconds, oldest first. */
  readonly at: readonly number[];
  /** Signature of what it asks for beside its conversation: at another temperature it is another request. */
  readonly terms: string;
  /** Signature of their answer; empty once two have differed: those are samples, and never count again. */
  readonly answer: string;
}

export type Arrival = Pick<Arrivals, "terms"> & { readonly at: number };

/** More are not remembered, so no ladder is higher. */
const MAX_ARRIVALS = 64;

/** @param samplingKey what else makes two requests with one history two different ones */
export function termsSignature(samplingKey: string, sign: Sign): string {
  return sign(`terms\u0000${samplingKey}`);
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
  // Its calls' ids are new in each.
  const calls = answer?.calls.map(({ id: _, ...call }) => call) ?? [];
  const signature = answer === undefined ? before?.answer : prefixAfter("", { ...answer, calls }, sign);
  const isAlike = before === undefined || before.answer === signature;
  const arrivals: Arrivals = isAlike
    ? { at: [...(before?.at ?? []), at].slice(-MAX_ARRIVALS), terms, answer: signature ?? "" }
    : { at: [], terms, answer: "" };
  return { ...ledger, pending: { ...pending, arrivals } };
}

/** A ledger with what the answer to its last step's request led to; as it is if it has gone on since. */
export function withIntercepted(ledger: Ledger | undefined, intervention: Intervention): Ledger | undefined {
  const pending = ledger?.pending;
  if (ledger === undefined || pending?.fingerprint.key !== intervention.key) return ledger;
  return { ...ledger, pending: { ...pending, intercepted: intervention } };
}

const NOTHING_HEARD: ReadonlySet<string> = new Set();

const MAX_CALLS = 32;

const NOTHING: Step = { calls: [], text: "", heard: [], ends: true };

/** For later requests that tell what came of an answer, and not what it did. @param answer undefined for one of the guard's own to a prompt, which ends the run */
export function openStepOf(
  answer: Step | undefined,
  { isUntold, showsState }: Conversation,
  { sign, policy }: EvaluationContext,
  tip: Ledger,
): OpenStep {
  const step = answer ?? NOTHING;
  const work = requestWork();
  const print = (calls: Step["calls"]) =>
    fingerprintOf({ ...step, calls }, sign, policy.tools, NOTHING_HEARD, { work });
  const isDone = step.ends === true || step.calls.some(({ tool }) => doneNames(policy).includes(tool));
  return {
    fingerprint: print(step.calls),
    ...(step.calls.length > 1 && { calls: step.calls.slice(0, MAX_CALLS).map((call) => print([call])) }),
    at: reach(tip),
    said: isUntold === true ? lastLines(step.text, sign) : [],
    // An executor that shows states alone goes on until its own condition holds.
    ...(isDone && isUntold === true && showsState !== true && { ends: true as const }),
  };
}

export function callsHash(step: Step, sign: Sign, policy: Policy): string {
  return fingerprintOf(step, sign, policy.tools, NOTHING_HEARD, { work: requestWork() }).callsHash;
}

export function tellsWordsOf({ text }: Step, { said }: Pick<OpenStep, "said">, sign: Sign): boolean {
  const last = lastLines(text, sign).at(-1);
  return last !== undefined && said.includes(last);
}

/** Prompts tell of an answer's words some, and each of those to its end. */
const MAX_LINES = 8;

const LEAST_CHARACTERS = 4;

export function lastLines(text: string, sign: Sign): readonly string[] {
  const lines = text.split("\n", 1_000).map((line) => line.replace(/\s+/g, " ").trim());
  const ownLines = lines.filter((line) => line.length >= LEAST_CHARACTERS).slice(-MAX_LINES);
  return ownLines.map((line) => sign(`line\u0000${line}`));
}
