import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { BLANK, similarity } from "../../scan/scan.ts";

/** From this share of common words on, figures left out, two texts are made in one mould. */
const MOULD = 0.7;

/**
 * Whether what was heard behind two acts is a note that a program adds to each of them ("Remaining steps: 24"): made in one mould,
 * behind results that tell something by themselves. Behind a bare receipt it may be what the act has brought.
 */
export function isSameNote(one: Fingerprint, other: Fingerprint): boolean {
  return (
    isBehindResult(one) &&
    isBehindResult(other) &&
    similarity(one.heardSimilarity ?? BLANK, other.heardSimilarity ?? BLANK) >= MOULD
  );
}

function isBehindResult({ calls, heardSimilarity }: Fingerprint): boolean {
  return (
    heardSimilarity !== undefined &&
    calls.length > 0 &&
    calls.every(({ moves, outcome }) => moves !== true && outcome?.weight === "informative")
  );
}

/** Whether a program says the same again behind an answer, but for figures, times and ids: a hook, a timer, a counted push. */
export function isSameNotice(one: Fingerprint, other: Fingerprint): boolean {
  return (
    one.automated === true &&
    other.automated === true &&
    one.heardWords === other.heardWords &&
    similarity(one.heardSimilarity ?? BLANK, other.heardSimilarity ?? BLANK) === 1
  );
}

/** A text in the mould of an earlier one, behind acts or set out by a program, is nobody's news. */
export function withNote(fingerprint: Fingerprint, earlier: readonly Fingerprint[]): Fingerprint {
  const isAgain = (one: Fingerprint) => isSameNote(one, fingerprint) || isSameNotice(one, fingerprint);
  const isNote = fingerprint.heard === "user" && earlier.some(isAgain);
  return isNote ? { ...fingerprint, heard: "again" } : fingerprint;
}
