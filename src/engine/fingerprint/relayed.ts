import type { Mutable } from "../../mutable.ts";
import type { Sign } from "../../text/sign.ts";
import type { CallFingerprint } from "./call-fingerprint.ts";
import { actedOf, type Fingerprint } from "./fingerprint.ts";

/**
 * Fingerprint of a step whose halves were made apart: what an answer has called and said when it passed, and what a later request
 * tells of it. @param calls of the answer, one by one @param told by that request: an outcome for each of them, or one for all
 */
export function relayedStep(
  answer: Fingerprint,
  calls: readonly CallFingerprint[],
  told: Fingerprint,
  sign: Sign,
): Fingerprint {
  const { key, heard, heardHashes } = told;
  const joined: Mutable<Fingerprint> = { ...answer, key, heard, heardHashes };
  for (const name of ["automated", "heardSimilarity", "heardWords", "given", "heardCloses"] as const)
    if (told[name] !== undefined) Object.assign(joined, { [name]: told[name] });
  const outcomes = calls.map((_, i) => (told.calls.length === calls.length ? told.calls[i] : told.calls[0])?.outcome);
  const [only] = told.calls;
  if (calls.length === 0 && only?.outcome !== undefined) joined.outcomesHash = only.outcome.hash;
  if (outcomes.every((outcome) => outcome === undefined)) return joined;
  const answered = calls.map((call, i): CallFingerprint => {
    const outcome = outcomes[i];
    return outcome === undefined ? call : { ...call, outcome };
  });
  return Object.assign(joined, actedOf(answered, sign));
}

/** Each of a step's outcomes with the state that an earlier telling of the step has shown beside it. */
export function withShownStates(told: Fingerprint, earlier: Fingerprint): Fingerprint {
  if (earlier.calls.every(({ outcome }) => outcome?.state === undefined)) return told;
  const calls = told.calls.map((call, i): CallFingerprint => {
    const state = earlier.calls[i]?.outcome?.state;
    if (call.outcome === undefined || state === undefined) return call;
    return { ...call, outcome: { state, ...call.outcome } };
  });
  return { ...told, calls };
}
