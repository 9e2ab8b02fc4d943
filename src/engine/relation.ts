import { type FigureHistory, NO_FIGURES, standsAlike } from "./figures.ts";
import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import { type Fingerprint, OPEN } from "./fingerprint/fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";
import {
  hasSlot,
  isBrief,
  isName,
  isShare,
  nearlyEqual,
  numberOf,
  ONE_BY_ONE,
  similarity,
  slotAt,
  slotsIn,
  withoutSlot,
} from "../scan/scan.ts";
import { codesOf } from "../text/codes.ts";
import type { Work } from "../work.ts";

/** What a call asks for, beside an earlier one, and how new that is: 0 is the same call, 1 another tool's. */
const ACTION = {
  again: 0,
  reworded: 0.25,
  /** The same question at another figure: a page, a row, an id. */
  walked: 0.4,
  other: 0.5,
  "other-tool": 1,
} as const;

export type Ask = keyof typeof ACTION;

/** What a call has done, where it has changed something or reached somebody. */
export type Deed = "repeated" | "placeless" | "rewritten";

/** Relation: what a call is to an earlier one. Where both numbers are 0 it is certain that it is the same; else that is suspected. */
export interface Relation {
  readonly ask: Ask;
  readonly action: number;
  /** Share of what came back that the earlier one had not brought: 0 is equal, up to what is volatile; 1 is news. */
  readonly result: number;
  readonly deed?: Deed;
  /** Another search, which finds nothing either. */
  readonly isAbsent?: true;
}

/** How the results before it have moved: asked for only where a figure decides. */
export type Figures = () => FigureHistory;
const unknownFigures: Figures = () => NO_FIGURES;

/** What a result is looked at for, whatever the call has done: see the table of weights. */
export type Look = "state" | "input" | "still";

/** To compare two calls, beside the figures of what came back in the same words. */
const RELATION_WORK = 32;

function isPaid({ outcome: a }: CallFingerprint, { outcome: b }: CallFingerprint, work: Work): boolean {
  return work.spend(RELATION_WORK + (a !== undefined && a.shape === b?.shape ? 2 * a.slots.length : 0));
}

/**
 * @param figures of the later call's results up to it
 * @param look where somebody looks for this alone
 */
export function relate(
  earlier: CallFingerprint,
  later: CallFingerprint,
  work: Work,
  figures: Figures = unknownFigures,
  look?: Look,
): Relation {
  if (!isPaid(earlier, later, work)) return { ask: "other-tool", action: 1, result: 1 };
  const ask = askOf(earlier, later);
  const action = ACTION[ask];
  if (look !== undefined) return { ask, action, result: noveltyAs(look, earlier, later) };
  if (isEffect(later) && !isToldAgain(earlier, later, work)) {
    const deed = deedOf(earlier, later, figures);
    return { ask, action, result: deed === undefined ? 1 : 0, ...(deed !== undefined && { deed }) };
  }
  const result = later.kind === "plan" && ask !== "again" ? 1 : novelty(earlier, later, ask, figures);
  return { ask, action, result, ...(result === 1 && isAbsentAlike(earlier, later) && { isAbsent: true as const }) };
}

/** From this share of common words on, a call is a variation of another. */
const VARIATION = 0.75;

function askOf(earlier: CallFingerprint, later: CallFingerprint): Ask {
  if (earlier.hash === later.hash) return "again";
  if (earlier.tool !== later.tool) return "other-tool";
  if (!isVariation(earlier, later)) return "other";
  const isSized = earlier.sized === true && later.sized === true;
  return earlier.slots === later.slots || isSized || asksForWhatCame(earlier, later) ? "reworded" : "walked";
}

/** Two calls of a tool that ask for nearly the same: other figures, or a few other words. */
export function isVariation(a: CallFingerprint, b: CallFingerprint): boolean {
  if (a.tool !== b.tool) return false;
  return (a.shape === b.shape && a.slots !== "") || similarity(a.similarity, b.similarity) >= VARIATION;
}

/** A call asks with what an earlier one has brought. */
export function asksForWhatCame(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const came = earlier.outcome?.slots ?? "";
  return came !== "" && slotsIn(later.slots).some((slot) => hasSlot(came, slot));
}

/** Words that must stay the same beside each figure that does not. */
interface Price {
  /** An id, a date, a digest. */
  readonly name: number;
  readonly number: number;
  /** A number from 0 to 1: how well something fits. */
  readonly share: number;
  /** What the earlier call asked with, and its result says again. */
  readonly echo: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** The table of weights: what differs in a result is noise where the words that are equal outweigh it. */
const PRICES = {
  again: { name: 3, number: 6, share: 6, echo: 3 },
  reworded: { name: 2, number: 12, share: 2, echo: 1 },
  other: { name: 2, number: 12, share: 2, echo: 1 },
  "other-tool": { name: 2, number: 12, share: 2, echo: 1 },
  walked: { name: NEVER, number: NEVER, share: NEVER, echo: 24 },
  /** The place is known to change at random. */
  noise: { name: 1.5, number: 1.5, share: 1.5, echo: 1.5 },
  /** What is waited for, and where a gesture has led to, is told by numbers. */
  state: { name: 4, number: NEVER, share: NEVER, echo: 4 },
  "other-gesture": { name: 6, number: 16, share: 16, echo: 6 },
  /** What is entered or chosen again leads nowhere new: tokens and counters in its page are noise. */
  input: { name: 3, number: 8, share: 8, echo: 3 },
  /** A long answer with next to no figures outweighs them, whatever they do. */
  still: { name: 12, number: 12, share: 12, echo: 12 },
} as const satisfies Readonly<Record<string, Price>>;

/** Fewer words are all that is told; and so many outweigh what differs in them. */
export const LEAST_WORDS = 6;
export const MUCH = 24;

interface Difference {
  readonly names: number;
  readonly numbers: number;
  readonly shares: number;
  readonly echoes: number;
  /** Figures that are no other. */
  readonly equal: number;
}

const NO_DIFFERENCE: Difference = { names: 0, numbers: 0, shares: 0, echoes: 0, equal: 0 };

function priced(
  words: number,
  { names, numbers, shares, echoes, equal }: Difference,
  price: keyof typeof PRICES,
): number {
  const { name, number, share, echo } = PRICES[price];
  const cost = (count: number, each: number) => (count === 0 ? 0 : count * each);
  const weight = cost(names, name) + cost(numbers, number) + cost(shares, share) + cost(echoes, echo);
  // They differ, though no figure shows it.
  if (weight === 0) return LEAST;
  const same = words + equal;
  const least = price === "again" ? weight : Math.max(LEAST_WORDS, weight);
  return same >= least ? Math.max(LEAST, Math.min(weight / same, 1 - LEAST)) : 1;
}

/** The least and, from 1, the most that a result differs by which is neither equal nor news. */
const LEAST = 0.001;

function novelty(earlier: CallFingerprint, later: CallFingerprint, ask: Ask, figures: Figures): number {
  const [a, b] = [earlier.outcome, later.outcome];
  // What came of a call is told nowhere: it may have been anything.
  if (a === undefined || b === undefined || hasOtherState(earlier, later)) return 1;
  if (a.hash === b.hash || (ask === "again" && hasAddendum(a, b))) return 0;
  if (!isInSameWords(a, b)) return 1;
  // The figures of a failure say nothing.
  if (a.failed) return 0;
  // A figure moved by too little for its slot to show it.
  if (a.slots === b.slots && a.slots !== "") return 1;
  const isGesture = later.moves === true;
  const history = figures();
  if (!isGesture && leadsOn(earlier, later, history)) return 1;
  const difference = differenceOf(a, b, isGesture ? earlier.slots : earlier.slots + later.slots);
  if (isGesture) return priced(a.words, difference, ask === "again" ? "state" : "other-gesture");
  if (earlier.slots !== later.slots) return priced(a.words, difference, ask);
  // Where the calls count, too, a list is walked.
  const left = withoutCounters(difference, history.counters);
  const noise = history.isNoise ? priced(a.words, left, "noise") : 1;
  return noise < 1 ? noise : priced(a.words, left, ask);
}

/** The same is known to have come back; what is told nowhere may have been anything. */
export function hasSameOutcomes(a: Fingerprint, b: Fingerprint): boolean {
  if (a.outcomesHash !== b.outcomesHash || a.outcomesHash === OPEN) return false;
  return !b.calls.some((call) => a.calls.some((one) => one.hash === call.hash && hasOtherState(one, call)));
}

/** Whether a turn, made again, brings the same. @param isAlike of the results of two equal calls */
export function isAnsweredAlike(
  earlier: Fingerprint,
  later: Fingerprint,
  isAlike: (one: CallFingerprint, call: CallFingerprint) => boolean,
): boolean {
  if (hasSameOutcomes(earlier, later)) return true;
  if (earlier.calls.length !== later.calls.length) return false;
  return later.calls.every((call) => earlier.calls.some((one) => one.hash === call.hash && isAlike(one, call)));
}

/** Of two equal reports of an act each was shown with a page of its own. */
function hasOtherState({ outcome: one }: CallFingerprint, { outcome: other }: CallFingerprint): boolean {
  const [a, b] = [one?.state, other?.state];
  if (a === undefined || b === undefined || a.hash === b.hash) return false;
  return a.shape !== b.shape || a.slots.length !== b.slots.length || priced(a.words, differenceOf(a, b), "state") === 1;
}

/** What has changed between two results leads somewhere. */
function leadsOn(earlier: CallFingerprint, later: CallFingerprint, { moving }: FigureHistory): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (a === undefined || b === undefined) return false;
  return moving.length > 0 && !standsAlike(a, b, moving);
}

function withoutCounters(difference: Difference, counters: number): Difference {
  const left = Math.max(0, difference.numbers + difference.shares - counters);
  const numbers = Math.min(difference.numbers, left);
  return { ...difference, numbers, shares: left - numbers };
}

type Slotted = Pick<OutcomeFingerprint, "hash" | "slots">;

/** Of two results in the same words. @param asked the slots that were asked with */
export function differenceOf(a: Slotted, b: Slotted, asked = ""): Difference {
  if (a.hash === b.hash) return NO_DIFFERENCE;
  let [names, shares, echoes, equal] = [0, 0, 0, 0];
  let numbers = slotAt(a.slots, ONE_BY_ONE) === slotAt(b.slots, ONE_BY_ONE) ? 0 : ONE_BY_ONE;
  let left = b.slots.slice(0, 2 * ONE_BY_ONE);
  for (const slot of slotsIn(a.slots.slice(0, 2 * ONE_BY_ONE))) {
    const without = withoutSlot(left, slot);
    if (without.length < left.length) {
      left = without;
      equal++;
    } else if (hasSlot(asked, slot)) echoes++;
    else if (isName(slot)) names++;
    else if (isShare(slot)) shares++;
    else numbers++;
  }
  return { names, numbers, shares, echoes, equal };
}

/** One of them goes on with a paragraph that the other has not: a hint, a reminder. */
function hasAddendum(a: OutcomeFingerprint, b: OutcomeFingerprint): boolean {
  return (a.stem !== undefined && b.hash.startsWith(a.stem)) || (b.stem !== undefined && a.hash.startsWith(b.stem));
}

/** So many words are no receipt; and so many are a text. */
export const LONG = 8;

/** It has changed something, or reached somebody, and nobody complains. */
export function isEffect({ kind, moves, outcome }: CallFingerprint): boolean {
  if (moves === true || outcome?.failed !== false || outcome.complains === true) return false;
  return kind === "write" || kind === "send";
}

/** Of another change the same was told at length: it is no report of either. Numbered places are gone through with one sentence. */
export function isToldAgain(earlier: CallFingerprint, later: CallFingerprint, work: Work): boolean {
  if (!isPaid(earlier, later, work)) return false;
  const [a, b] = [earlier.outcome, later.outcome];
  if (earlier.hash === later.hash || earlier.tool !== later.tool || a === undefined || b === undefined) return false;
  if (a.shape !== b.shape || b.weight !== "informative" || b.words < 2 * LONG) return false;
  const { numbers, shares } = differenceOf(a, b);
  return numbers + shares === 0 && askOf(earlier, later) !== "walked";
}

/** From this share of common words on, two texts are the same text, two messages on one matter the same, and two reports tell of the same. */
const SAME_TEXT = 0.85;
const SAME_MATTER = 0.5;
const SAME_REPORT = 0.7;
/** A call that says so much makes something each time; of a shorter one the result says where it has led to. In words. */
const MAKES = 3;

/** The same content written or sent again to the same place; undefined where it is another. */
function deedOf(earlier: CallFingerprint, later: CallFingerprint, figures: Figures): Deed | undefined {
  const [a, b] = [earlier.outcome, later.outcome];
  if (!isEffect(earlier) || earlier.tool !== later.tool || earlier.place !== later.place) return undefined;
  if (a === undefined || b === undefined) return undefined;
  if (a.shape !== b.shape && similarity(a.similarity, b.similarity) < SAME_REPORT) return undefined;
  if (earlier.hash === later.hash) return reportsTheSame(earlier, later, figures) ? "repeated" : undefined;
  if (later.place === undefined) return b.words >= LONG && b.weight === "informative" ? "placeless" : "rewritten";
  const isSameText =
    later.words >= LONG &&
    (similarity(earlier.similarity, later.similarity) >= SAME_TEXT || isSameMatter(earlier, later));
  return isSameText ? "repeated" : "rewritten";
}

/** A message, half of it in the same words, that names nothing which the one before has not named: what is told of one thing may be news each time. */
function isSameMatter(earlier: CallFingerprint, later: CallFingerprint): boolean {
  if (later.kind !== "send" || similarity(earlier.similarity, later.similarity) < SAME_MATTER) return false;
  const known = codesOf(earlier.names);
  const names = codesOf(later.names);
  return names.length > 0 && names.every((name) => known.includes(name));
}

/** The reports of one change made twice: they name what was made, each time anew. */
function reportsTheSame(earlier: CallFingerprint, later: CallFingerprint, figures: Figures): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (a === undefined || b === undefined) return false;
  if (a.hash === b.hash) return true;
  if (leadsOn(earlier, later, figures())) return false;
  if (nearlyEqual(a.similarity, b.similarity)) return true;
  if (!isInSameWords(a, b)) return false;
  const { numbers, shares } = differenceOf(a, b);
  return numbers + shares <= figures().serials || earlier.words >= MAKES;
}

/** Both find nothing, in the same words but for what they asked with; figures tell of the search alone. Numbered places are walked. */
function isAbsentAlike(earlier: CallFingerprint, later: CallFingerprint): boolean {
  const [a, b] = [earlier.outcome, later.outcome];
  if (earlier.tool !== later.tool || b?.absence === undefined || a?.absence !== b.absence) return false;
  return askOf(earlier, later) !== "walked";
}

const isInSameWords = (a: OutcomeFingerprint, b: OutcomeFingerprint): boolean =>
  a.shape === b.shape && a.failed === b.failed && a.slots.length === b.slots.length;

/** Share of common words that makes two pages with equal input the same page. */
const MOSTLY = 0.6;

/** Share of a result that is new to somebody who looks for this alone. */
function noveltyAs(look: Look, { outcome: a }: CallFingerprint, later: CallFingerprint): number {
  const { outcome: b } = later;
  if (a === undefined || b === undefined) return 1;
  if (a.hash === b.hash) return 0;
  if (isInSameWords(a, b))
    return look === "still" && !isAside(a, b, later.moves === true) ? 1 : priced(a.words, differenceOf(a, b), look);
  const isComparable = look === "input" && a.failed === b.failed && !isBrief(a.similarity) && !isBrief(b.similarity);
  return isComparable && similarity(a.similarity, b.similarity) >= MOSTLY ? LEAST : 1;
}

/** What differs is no part of a whole: "3 of 12" is a way that is gone; and after a gesture no small number, which may be what it is for. */
function isAside(a: OutcomeFingerprint, b: OutcomeFingerprint, isGesture: boolean): boolean {
  const theirs = slotsIn(b.slots);
  const numbers = slotsIn(a.slots).map((slot, at) => (slot === theirs[at] ? undefined : numberOf(slot)));
  return numbers.every(
    (number) => number === undefined || (number.sort !== "part" && (!isGesture || number.exact === undefined)),
  );
}
