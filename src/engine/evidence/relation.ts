import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { differenceOf, isSameReport } from "../comparing/same-result.ts";
import type { FigureHistory } from "../comparing/figures.ts";
import { isVariation, isWalked, leadsOn, tellsTheSame } from "../comparing/telling.ts";
import { similarity } from "../../scan/scan.ts";

/** What a call is to an earlier one, the closest first. */
export const relations = [
  "equal-call",
  "effect",
  "unanswered",
  "reworded",
  /** At another figure: a page, a row, an id. */
  "walked",
  "other-call",
  /** Another search, which finds nothing either. */
  "absent",
  "other-tool",
  /** A change that names nothing, and is reported in the same words. */
  "placeless",
  /** Other content at the same place. */
  "rewritten",
  /** It tells or does what the earlier one has not. */
  "news",
] as const;

export type Relation = (typeof relations)[number];

/** @param figures of the later call's results so far */
export function relationTo(earlier: CallFingerprint, later: CallFingerprint, figures: () => FigureHistory): Relation {
  const isChange = isEffect(later) && !isToldAgain(earlier, later);
  return isChange ? effectRelation(earlier, later, figures) : lookRelation(earlier, later, figures);
}

/** Of another change the same was told at length: it is no report of either. Numbered places are gone through with one sentence. */
export function isToldAgain(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (earlier.hash === later.hash || earlier.tool !== later.tool || a === undefined || b === undefined) return false;
  if (a.hash !== b.hash && a.shape !== b.shape) return false;
  if (b.weight !== "informative" || b.words < 2 * LONG || isWalked(earlier, later)) return false;
  const difference = differenceOf(a, b);
  return difference !== undefined && difference.numbers + difference.shares === 0;
}

/** It has changed something, or reached somebody, and nobody complains. */
export function isEffect({ kind, moves, outcome }: CallFingerprint): boolean {
  if (moves === true || outcome?.failed !== false || outcome.complains === true) return false;
  return kind === "write" || kind === "send";
}

/** So many words are no receipt; and so many are a text. */
export const LONG = 8;
/** From this share of common words on, two texts are the same text. */
const SAME_TEXT = 0.85;
const SAME_REPORT = 0.7;

/** The same content written or sent again to the same place. */
function effectRelation(earlier: CallFingerprint, later: CallFingerprint, figures: () => FigureHistory): Relation {
  const [a, b] = [earlier.outcome, later.outcome];
  if (!isEffect(earlier) || earlier.tool !== later.tool || earlier.place !== later.place) return "news";
  if (a === undefined || b === undefined) return "news";
  if (a.shape !== b.shape && similarity(a.similarity, b.similarity) < SAME_REPORT) return "news";
  if (earlier.hash === later.hash) {
    if (a.hash === b.hash) return "effect";
    return isSameReport(earlier, later) && !leadsOn(earlier, later, figures()) ? "effect" : "news";
  }
  if (later.place === undefined) return b.words >= LONG && b.weight === "informative" ? "placeless" : "rewritten";
  const isSameText = later.words >= LONG && similarity(earlier.similarity, later.similarity) >= SAME_TEXT;
  return isSameText ? "effect" : "rewritten";
}

function lookRelation(earlier: CallFingerprint, later: CallFingerprint, figures: () => FigureHistory): Relation {
  const isEqualCall = earlier.hash === later.hash;
  if (later.outcome === undefined || earlier.outcome === undefined) return isEqualCall ? "unanswered" : "news";
  // Another state of a plan is a step on.
  if (later.kind === "plan" && !isEqualCall) return "news";
  if (!tellsTheSame(earlier, later, figures)) return isAbsentAlike(earlier, later) ? "absent" : "news";
  if (isEqualCall) return "equal-call";
  if (earlier.tool !== later.tool) return "other-tool";
  if (isWalked(earlier, later)) return "walked";
  return isVariation(earlier, later) ? "reworded" : "other-call";
}

/** Both find nothing, in the same words but for what they asked with; figures tell of the search alone. Numbered places are walked. */
function isAbsentAlike(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (earlier.tool !== later.tool || b?.absence === undefined || a?.absence !== b.absence) return false;
  return !isWalked(earlier, later);
}
