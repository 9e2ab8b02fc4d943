import { type Fingerprint, fingerprintOf, relayedStep } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import { doneNames, type Policy } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import { requestWork } from "../../work.ts";
import { type EvaluationContext, type Ledger, reach, type OpenStep } from "./ledger.ts";

const NOTHING_HEARD: ReadonlySet<string> = new Set();
const MAX_CALLS = 32;
const NOTHING: Step = { calls: [], text: "", heard: [], ends: true };

/**
 * The open step that an answer leaves where later requests tell what came of it, and not what it did. Undefined where they show that
 * themselves. @param answer undefined for one of the guard's own to a prompt, which ends the run
 */
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

export function closedStep({ fingerprint, calls }: OpenStep, told: Fingerprint, sign: Sign): Fingerprint {
  const each = calls?.flatMap((print) => print.calls) ?? fingerprint.calls;
  return relayedStep(fingerprint, each, told, sign);
}

export function callsHash(step: Step, sign: Sign, policy: Policy): string {
  return fingerprintOf(step, sign, policy.tools, NOTHING_HEARD, { work: requestWork() }).callsHash;
}

/** Whether a prompt's step is this answer: it tells the last of the answer's words, or is the step that follows. */
export function isToldOf(step: Step, open: OpenStep, total: number, sign: Sign): boolean {
  return step.isUntold === true && (open.at === total || tellsWordsOf(step, open, sign));
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
