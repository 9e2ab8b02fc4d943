import { fingerprintCodec, fingerprintOf } from "../../engine/engine.ts";
import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";
import { doneNames, type Policy } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import { type EvaluationContext, type Ledger, reach, type RelayedAnswer } from "./ledger.ts";

const NOTHING_HEARD: ReadonlySet<string> = new Set();
const NOTHING: Step = { calls: [], text: "", heard: [], ends: true };

/**
 * Record of a relayed answer; undefined if the next request itself will show what the answer did.
 * @param step undefined for an answer of the guard's own, which ends the run
 */
export function relayedAnswer(
  step: Step | undefined,
  { isUntold, showsState }: Conversation,
  { sign, policy }: EvaluationContext,
  tip: Ledger,
): RelayedAnswer | undefined {
  if (isUntold !== true) return undefined;
  const answer = step ?? NOTHING;
  const isDone = answer.ends === true || answer.calls.some(({ tool }) => doneNames(policy).includes(tool));
  return {
    fingerprint: fingerprintOf(answer, sign, policy.tools, NOTHING_HEARD),
    at: reach(tip),
    said: lastLines(answer.text, sign),
    // An executor that shows states alone goes on until its own condition holds.
    ...(isDone && showsState !== true && { ends: true as const }),
  };
}

/** Signature of what a step calls, as a policy compares calls. */
export function callsHash(step: Step, sign: Sign, policy: Policy): string {
  return fingerprintOf(step, sign, policy.tools, NOTHING_HEARD).callsHash;
}

/** Whether a prompt's step is this answer: it tells the last of the answer's words, or is the step that follows. */
export function isToldOf(step: Step, relayed: RelayedAnswer, total: number, sign: Sign): boolean {
  return step.isUntold === true && (relayed.at === total || tellsWordsOf(step, relayed, sign));
}

export function tellsWordsOf({ text }: Step, { said }: Pick<RelayedAnswer, "said">, sign: Sign): boolean {
  const last = lastLines(text, sign).at(-1);
  return last !== undefined && said.includes(last);
}

/** Text of a relayed answer, for a store. */
export function relayedText({ fingerprint, ...relayed }: RelayedAnswer): string {
  return JSON.stringify({ ...relayed, fingerprint: fingerprintCodec.encode(fingerprint) });
}

/** Reads what `relayedText` has written; undefined for anything else. */
export function readRelayed(json: string): RelayedAnswer | undefined {
  const value = parseJson(json);
  const { fingerprint, at, said, ends } = isObject(value) ? value : {};
  if (!fingerprintCodec.isEncoded(fingerprint) || typeof at !== "number" || !Array.isArray(said)) return undefined;
  return { fingerprint: fingerprintCodec.decode(fingerprint), at, said, ...(ends === true && { ends }) };
}

/** Prompts tell of an answer's words some, and each of those to its end. */
const MAX_LINES = 8;
const LEAST_CHARACTERS = 4;

/** Signatures of the last lines of a text. */
export function lastLines(text: string, sign: Sign): readonly string[] {
  const lines = text.split("\n", 1_000).map((line) => line.replace(/\s+/g, " ").trim());
  const ownLines = lines.filter((line) => line.length >= LEAST_CHARACTERS).slice(-MAX_LINES);
  return ownLines.map((line) => sign(`line\u0000${line}`));
}
