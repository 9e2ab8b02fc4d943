import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { type FigureHistory, figureHistory, type RankedResult } from "../comparing/figures.ts";
import { asksForWhatCame } from "../comparing/same-result.ts";
import { isKnownBy } from "../comparing/rewording.ts";
import { isVariation } from "../comparing/telling.ts";
import { memoizeByRef } from "../memoize-by-ref.ts";
import { type Sketch, similarity } from "../../scan/scan.ts";
import type { ActingStep } from "../view.ts";
import { isEffect, LONG, type Relation, relations, relationTo } from "./relation.ts";

/** Distance at which what was told is still known, in acting steps. */
const REACH = 24;
/** Of a wide turn's calls so many are looked at. */
const MOST_CALLS = 8;

/** What is new takes more away than an equal call brings. */
const NEWS = -1.25;
/** Another search, and nothing found again. */
const ABSENT = 0.75;

/**
 * Evidence by relation to the closest earlier call, in steps that went nowhere, as far as the answer's length decides. The unit is
 * another call that hears the same long answer; the shorter an answer is, the more likely is it by chance.
 */
const WEIGHTS: Readonly<Record<Relation, number | Readonly<Record<Length, number>>>> = {
  "equal-call": 1,
  effect: 1,
  unanswered: 0.6,
  reworded: { long: 1, short: 1, brief: 0.8, receipt: 0.25, nothing: 0.6 },
  walked: { long: 1, short: 0.5, brief: 0.125, receipt: 0.125, nothing: 0.125 },
  "other-call": { long: 1, short: 0.5, brief: 0.5, receipt: 0.1, nothing: 0.6 },
  absent: ABSENT,
  "other-tool": { long: 0.5, short: 0, brief: 0, receipt: 0, nothing: 0 },
  placeless: 0.6,
  rewritten: -0.6,
  news: NEWS,
};
/** What has been told before, in several answers: other windows of one text, a search that finds the same in another order. */
const RETOLD = 0.5;
/** From this share of words on that the tool has told, a text of at least so many tells nothing new. */
const KNOWN = { share: 0.85, words: 12 };
/** Where somebody else is waited for: nothing new is to be expected at most looks. */
const WAITING = 0.375;
const WAITING_ELSEWHERE = -0.25;

/** The sum of evidence at the last act, and the acts that add to it, oldest first. */
export interface Evidence {
  /** In steps that went nowhere; 0 where the last act brings anything new. */
  readonly sum: number;
  readonly actions: readonly ActingStep[];
}

/**
 * The sum of evidence that a run goes nowhere: an act that tells nothing new adds to it, one that does takes away, and it never
 * falls below nothing. A user who speaks starts afresh.
 * @param actions of a window, oldest first; the last one is judged
 */
export function evidenceAt(actions: readonly ActingStep[]): Evidence {
  const adding: ActingStep[] = [];
  let [sum, running, most] = [0, 0, 0];
  for (let at = actions.length - 1; at >= Math.max(0, actions.length - REACH); at--) {
    const weight = weightOf(actions, at);
    const action = actions[at];
    if (action === undefined || running + weight <= 0) break;
    running += weight;
    if (weight > 0) adding.unshift(action);
    if (running > sum) [sum, most] = [running, adding.length];
    if (action.userBefore) break;
  }
  return { sum, actions: adding.slice(adding.length - most) };
}

/** An act is known as far as the newest of its calls is. */
function weightOf(actions: readonly ActingStep[], at: number): number {
  const calls = callsOf(actions[at]);
  if (calls.length === MOST_CALLS) return wasTakenAlike(actions, at) ? 1 : NEWS;
  return calls.length === 0 ? 0 : Math.min(...calls.map((call) => weightOfCall(actions, at, call)));
}

/** The act tells what none before it has told. */
export function tellsNews(actions: readonly ActingStep[], at: number): boolean {
  return weightOf(actions, at) === NEWS;
}

/** A wide turn as a whole: its calls are too many to be looked at one by one. */
function wasTakenAlike(actions: readonly ActingStep[], at: number): boolean {
  const { callsHash, outcomesHash } = actions[at]?.fingerprint ?? {};
  return actions
    .slice(Math.max(0, at - REACH), at)
    .some(({ fingerprint }) => fingerprint.callsHash === callsHash && fingerprint.outcomesHash === outcomesHash);
}

function weightOfCall(actions: readonly ActingStep[], at: number, call: CallFingerprint): number {
  const isWaiting = actions[at]?.polls === true || call.outcome?.cause === "transient";
  const relation = closestRelation(actions, at, call);
  if (isNextItem(actions, at, call, relation)) return 0;
  if (isWaiting && relation !== "news" && relation !== "absent") {
    if (!asksAgain(relation)) return WAITING_ELSEWHERE;
    return call.outcome?.weight === "nothing" ? 0 : WAITING;
  }
  if (isSilent(relation, call)) return 0;
  if (relation === "news" && isRetold(actions, at, call)) return RETOLD;
  if (relation === "news" && isReadBack(actions[at - 1], call)) return 0;
  const known = WEIGHTS[relation];
  const weight = typeof known === "number" ? known : known[lengthOf(call)];
  const isUnfound = relation === "other-call" && call.outcome?.absence !== undefined;
  return isUnfound ? Math.max(weight, ABSENT) : weight;
}

/** From this share of common words on a result is what was written; where it was written to is told beside it. */
const READ_BACK = 0.6;

/** What was written last is what is read now. */
function isReadBack(before: ActingStep | undefined, { outcome }: CallFingerprint): boolean {
  if (before?.landed !== true || outcome === undefined || outcome.words < LONG) return false;
  return callsOf(before).some((written) => similarity(written.similarity, outcome.similarity) >= READ_BACK);
}

/** The tool's answers since the last change have told it in their words. Of answers in the same words figures decide. */
function isRetold(
  actions: readonly ActingStep[],
  at: number,
  { tool, hash, moves, outcome }: CallFingerprint,
): boolean {
  if (outcome === undefined || outcome.failed || outcome.words < KNOWN.words || moves === true) return false;
  const isWatched = actions[at]?.polls === true;
  const sketches: Sketch[] = [];
  for (let i = at - 1; i >= Math.max(0, at - REACH) && actions[i]?.landed !== true; i--) {
    for (const earlier of callsOf(actions[i])) {
      if (earlier.tool !== tool || earlier.outcome === undefined) continue;
      if (earlier.outcome.shape === outcome.shape) return false;
      // A log that is waited for, a list of steps that are done: the same look tells more.
      if (isWatched && earlier.hash === hash && earlier.outcome.words < outcome.words) return false;
      sketches.push(earlier.outcome.similarity);
    }
  }
  return sketches.length >= 2 && isKnownBy(outcome.similarity, sketches, KNOWN.share);
}

const asksAgain = (relation: Relation): boolean => relations.indexOf(relation) <= relations.indexOf("walked");

/** What a call is to the earlier one that is most like it. After a change every look is a new one. */
function closestRelation(actions: readonly ActingStep[], at: number, call: CallFingerprint): Relation {
  const figures = () => figuresAt(actions, at, call);
  const isWatching = actions[at]?.polls === true;
  let closest = relations.length - 1;
  for (let i = at - 1; i >= Math.max(0, at - REACH); i--) {
    const earlier = actions[i];
    if (earlier === undefined || (earlier.landed && !isEffect(call))) break;
    const calls = callsOf(earlier);
    for (const one of calls) closest = Math.min(closest, relations.indexOf(relationTo(one, call, figures)));
    if (closest === 0) break;
    // What is watched may come back to where it was: only the last look counts.
    if (isWatching && calls.some(({ hash }) => hash === call.hash)) break;
  }
  return relations[closest] ?? "news";
}

/** What a call of a batch is to the one before it. */
const batched: ReadonlySet<Relation> = new Set(["reworded", "walked", "other-call"]);
/** Fewer words are a receipt, or one thing that is told of an item; of a record, whose fields have names, fewer yet. */
const BRIEF = 12;

/** The next item of a batch: no call of its tool was about it before, nothing that came back names it, and the answer is brief and no failure. */
function isNextItem(actions: readonly ActingStep[], at: number, call: CallFingerprint, relation: Relation): boolean {
  const { tool, moves, sized, outcome } = call;
  if (outcome === undefined || !batched.has(relation) || moves === true || sized === true) return false;
  if (outcome.failed || outcome.complains === true || outcome.weight === "nothing") return false;
  // What nothing is found by is another search; at the next number it is another place.
  if (outcome.absence !== undefined && relation !== "walked") return false;
  if (outcome.words >= (outcome.structured === true ? LONG : BRIEF) || itemOf(call) === "") return false;
  const earlier = actions.slice(Math.max(0, at - REACH), at).flatMap(callsOf);
  return earlier.every((one) => one.tool !== tool || (itemOf(one) !== itemOf(call) && !asksForWhatCame(one, call)));
}

/** Its arguments that are one word each, and its figures; what is asked at length is no name. */
function itemOf({ place = "", slots, words }: CallFingerprint): string {
  return place === "" && words >= BRIEF ? "" : `${place}${slots}`;
}

/** A gesture of which nothing is told but that it was made: what is seen next tells. */
function isSilent(relation: Relation, { moves, outcome }: CallFingerprint): boolean {
  return moves === true && relation === "equal-call" && outcome?.weight === "acknowledgement";
}

type Length = "long" | "short" | "brief" | "receipt" | "nothing";

const SHORT = 4;

function lengthOf({ outcome }: CallFingerprint): Length {
  if (outcome === undefined || outcome.weight === "nothing") return "nothing";
  const { weight, words } = outcome;
  if (weight === "acknowledgement") return "receipt";
  if (words >= LONG) return "long";
  return words >= SHORT ? "short" : "brief";
}

function callsOf(action: ActingStep | undefined): readonly CallFingerprint[] {
  const calls = action?.fingerprint.calls ?? [];
  return calls.length <= MOST_CALLS ? calls : calls.slice(0, MOST_CALLS);
}

function callsUpTo(actions: readonly ActingStep[], at: number): readonly CallFingerprint[] {
  return actions.slice(Math.max(0, at - REACH), at + 1).flatMap(callsOf);
}

/** What the figures of a call's results have done up to an act. Several detectors ask it of the same window. */
export function figuresAt(actions: readonly ActingStep[], at: number, call: CallFingerprint): FigureHistory {
  const known = figuresOf(actions);
  const key = `${at} ${call.hash} ${call.outcome?.hash}`;
  const history = known.get(key) ?? figureHistory(resultsLike(actions, at, call), callsUpTo(actions, at));
  known.set(key, history);
  return history;
}

const figuresOf = memoizeByRef((_: readonly ActingStep[]) => new Map<string, FigureHistory>());

/** The tool's results in the words of a call's own, that one included. */
function resultsLike(actions: readonly ActingStep[], at: number, call: CallFingerprint): readonly RankedResult[] {
  const ranked = actions
    .slice(Math.max(0, at - REACH), at + 1)
    .flatMap((action) => callsOf(action).map((other) => ({ other, at: action.at })))
    .filter(({ other }) => other.tool === call.tool);
  return ranked.slice(-REACH).flatMap(({ other, at: from }, rank) => {
    const { hash, outcome, slots } = other;
    if (outcome === undefined || outcome.shape !== call.outcome?.shape) return [];
    if (outcome.slots.length !== call.outcome.slots.length) return [];
    return [
      { outcome, hash, rank, at: from, requested: slots, isNear: hash === call.hash || isVariation(other, call) },
    ];
  });
}
