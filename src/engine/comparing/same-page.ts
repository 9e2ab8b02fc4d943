import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { differenceOf } from "./same-result.ts";
import { isOnItsWay, slotsIn, isBrief, similarity, type Sketch } from "../../scan/scan.ts";
import { setsValue } from "../reading/tool-kind.ts";
import type { ActingStep } from "../view.ts";

/** So many words that are equal outweigh what is not: tokens and counters in a page are noise, alone they are the page. */
const LEAST_WORDS = 6;
const WORDS_FOR_NAME = 3;
const WORDS_FOR_NUMBER = 8;
/** Share of common words that makes two pages with equal input the same page. */
const MOSTLY = 0.6;
/** Pages that are looked back on. */
const REACH = 8;

/**
 * Whether an earlier act of the same calls has led to the page that this one has led to. What is entered or chosen again
 * leads nowhere new, so that counters and advertisements that change beside it do not matter. A click or a key may: there a
 * number is what it is made for, unless it goes up and down as it likes, and other words are another page.
 */
export function samePageAs(action: ActingStep, actions: readonly ActingStep[]): (earlier: ActingStep) => boolean {
  const like = actions
    .filter(({ fingerprint }) => fingerprint.callsHash === action.fingerprint.callsHash)
    .slice(-REACH);
  const sets = action.fingerprint.calls.every(({ tool }) => setsValue(tool));
  const isRandom = changesAtRandom(like);
  return ({ fingerprint: { calls } }) =>
    calls.length === action.fingerprint.calls.length &&
    action.fingerprint.calls.every((call) =>
      calls.some((other) => call.hash === other.hash && isSamePage(other, call, sets ? "set" : "moved", isRandom)),
    );
}

/** Whether two turns, whatever they did, have led to one page. A page that nothing is told of has not changed. */
export function isSamePageAfter(one: ActingStep["fingerprint"], other: ActingStep["fingerprint"]): boolean {
  const [ours, theirs] = [one, other].map(({ calls }) =>
    calls.filter(({ outcome }) => outcome?.weight === "informative"),
  );
  if (ours === undefined || theirs === undefined || ours.length === 0 || theirs.length === 0) return true;
  return ours.some((a) => theirs.some((b) => isSamePage(a, b, "moved", false)));
}

function isSamePage(a: CallFingerprint, b: CallFingerprint, how: "set" | "moved", isRandom: boolean): boolean {
  const [one, other] = [a.outcome, b.outcome];
  if (one === undefined || other === undefined) return one === other;
  if (one.hash === other.hash) return true;
  if (one.failed !== other.failed) return false;
  const difference = differenceOf(one, other);
  if (difference === undefined) return how === "set" && isMostlyEqual(one.similarity, other.similarity);
  const { names, numbers } = difference;
  if (how === "moved" && numbers > 0 && !isRandom) return false;
  return one.words >= Math.max(LEAST_WORDS, names * WORDS_FOR_NAME + numbers * WORDS_FOR_NUMBER);
}

/** Fewer pages do not show whether a number leads somewhere. */
const LEAST_PAGES = 3;

/** The numbers in which these pages differ lead nowhere: they are not those of the next place, the next item, one more. */
function changesAtRandom(actions: readonly ActingStep[]): boolean {
  const rows = actions.map(({ fingerprint: { calls } }) => {
    // Calls of one turn may come in any order.
    const [first] = calls.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
    return slotsIn(first?.outcome?.slots ?? "");
  });
  const [first = []] = rows;
  if (rows.some((row) => row.length !== first.length)) return false;
  const columns = first.map((_, place) => rows.map((row) => row[place] ?? ""));
  const changing = columns.filter((values) => new Set(values).size > 1);
  return changing.every((values) => {
    // Where nothing is known of the next page it is taken for the last one.
    const moves = values.filter((value, i) => value !== values[i - 1]);
    return moves.length >= LEAST_PAGES && !isOnItsWay(moves);
  });
}

function isMostlyEqual(one: Sketch, other: Sketch): boolean {
  return !isBrief(one) && !isBrief(other) && similarity(one, other) >= MOSTLY;
}
