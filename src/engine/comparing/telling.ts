import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { isName, numberOf, similarity, slotsIn } from "../../scan/scan.ts";
import type { FigureHistory } from "./figures.ts";
import { movesUnseen, standsAlike } from "./movement.ts";
import { asksForWhatCame, differenceOf, hasAddendum, isSamePlaceAfter } from "./same-result.ts";

/** So many words that stay outweigh a figure, or an id, that does not. */
const BY_EQUAL_CALL = { name: 3, number: 6 };
/** Where the figures are known to change at random. */
const NOISE = 1.5;
const BY_OTHER_CALL = { name: 2, number: 12, share: 2, echo: 1 };
/** What a call asks with, and its result says again. */
const BY_OTHER_PLACE = 24;
const LEAST_WORDS = 6;

/**
 * Whether a result tells what an earlier one has told: the same words, and figures that lead nowhere. A failure's figures say
 * nothing; where a gesture has led to is told by figures alone.
 * @param figures of all results in these words up to the later one
 */
export function tellsTheSame(earlier: CallFingerprint, later: CallFingerprint, figures: () => FigureHistory): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  // What came of a call is told nowhere: it may have been anything.
  if (a === undefined || b === undefined) return false;
  if (a.hash === b.hash) return true;
  if (earlier.hash === later.hash && hasAddendum(a, b)) return true;
  if (a.shape !== b.shape || a.failed !== b.failed || a.slots.length !== b.slots.length) return false;
  if (a.failed) return true;
  const isEqualCall = earlier.hash === later.hash;
  if (later.moves === true)
    return isSamePlaceAfter(earlier, later, figures().ordinals.length) || isFlicker(earlier, later, figures());
  if (!isEqualCall && movesUnseen(a, b)) return false;
  const history = figures();
  if (leadsOn(earlier, later, history)) return false;
  const asksAlike = earlier.slots === later.slots;
  // Where the calls count, too, a list is walked.
  const ordinals = asksAlike ? history.ordinals.length : 0;
  const { names, numbers, equal } = newsIn(a, b, ordinals);
  if (history.isNoise && asksAlike && a.words >= Math.max(LEAST_WORDS, (names + numbers) * NOISE)) return true;
  if (isEqualCall) return names * BY_EQUAL_CALL.name + numbers * BY_EQUAL_CALL.number <= a.words + equal;
  return isOutweighed(earlier, later, ordinals);
}

/** Words of a page that outweigh a large figure which is known to change at random: a stamp in its markup. */
const BY_PAGE = 12;

/** Equal gestures have led to pages that differ by such figures alone. A small one may count what is on the page. */

function isFlicker(earlier: CallFingerprint, later: CallFingerprint, { isNoise, moving }: FigureHistory): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (!isNoise || moving.length > 0 || a === undefined || b === undefined || earlier.hash !== later.hash) return false;
  const theirs = slotsIn(b.slots);
  const changed = slotsIn(a.slots).filter((slot, place) => slot !== theirs[place]);
  const areLarge = changed.every((slot) => isName(slot) || numberOf(slot)?.exact === undefined);
  return a.shape === b.shape && areLarge && a.words >= changed.length * BY_PAGE;
}

/** What has changed between two results leads somewhere, or is what is done next. */
export function leadsOn(earlier: CallFingerprint, later: CallFingerprint, { moving, isUsed }: FigureHistory): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (isUsed && earlier.hash === later.hash && a?.slots !== b?.slots) return true;
  return moving.length > 0 && !standsAlike(a, b, moving);
}

function newsIn(a: OutcomeFingerprint, b: OutcomeFingerprint, ordinals: number) {
  const { names, numbers, shares, equal } = differenceOf(a, b) ?? NO_LIKENESS;
  return { names, numbers: Math.max(0, numbers + shares - ordinals), equal };
}

const NO_LIKENESS = { names: Number.POSITIVE_INFINITY, numbers: 0, shares: 0, equal: 0 };

/** Of another call: a figure may be what was asked for, and the name of another place says that it is one. */
function isOutweighed(earlier: CallFingerprint, later: CallFingerprint, ordinals: number): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  const requested = new Set([...slotsIn(earlier.slots), ...slotsIn(later.slots)]);
  const difference = a === undefined || b === undefined ? undefined : differenceOf(a, b, requested);
  if (a === undefined || difference === undefined) return false;
  const { names, shares, echoes, equal } = difference;
  const numbers = Math.max(0, difference.numbers - ordinals);
  const isElsewhere = isWalked(earlier, later);
  if (isElsewhere && names + numbers + shares > 0) return false;
  const weight =
    names * BY_OTHER_CALL.name +
    numbers * BY_OTHER_CALL.number +
    shares * BY_OTHER_CALL.share +
    echoes * (isElsewhere ? BY_OTHER_PLACE : BY_OTHER_CALL.echo);
  return weight === 0 || a.words + (difference.numbers === 0 ? equal : 0) >= Math.max(LEAST_WORDS, weight);
}

/** From this share of common words on, a call is a variation of another. */
const VARIATION = 0.75;

/** Two calls of a tool that ask for nearly the same: other figures, or a few other words. */
export function isVariation(a: CallFingerprint, b: CallFingerprint): boolean {
  if (a.tool !== b.tool) return false;
  return (a.shape === b.shape && a.slots !== "") || similarity(a.similarity, b.similarity) >= VARIATION;
}

/** From one numbered place to another: neither more of the same, nor what an earlier call was given. */
export function isWalked(earlier: CallFingerprint, later: CallFingerprint): boolean {
  if (earlier.slots === later.slots || (earlier.sized === true && later.sized === true)) return false;
  return isVariation(earlier, later) && !asksForWhatCame(earlier, later);
}
