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

/** A text behind an act, in the mould of one behind an earlier act, is nobody's news. */
export function withNote(fingerprint: Fingerprint, earlier: readonly Fingerprint[]): Fingerprint {
  const isNote = fingerprint.heard === "user" && earlier.some((one) => isSameNote(one, fingerprint));
  return isNote ? { ...fingerprint, heard: "again" } : fingerprint;
}
