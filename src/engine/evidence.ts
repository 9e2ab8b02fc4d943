import { type FigureHistory, figureHistory, NO_FIGURES, type RankedResult } from "./figures.ts";
import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";
import { memoizeByRef } from "./memoize-by-ref.ts";
import {
  type Ask,
  asksForWhatCame,
  type Deed,
  isEffect,
  isVariation,
  LONG,
  relate,
  type Relation,
} from "./relation.ts";
import { codesOf, unknownLines } from "../text/codes.ts";
import { hasSlot, numberOf, type Sketch, similarity, slotsIn } from "../scan/scan.ts";
import { hasFailed } from "./steps.ts";
import type { Work } from "../work.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import { type ActingStep, REACH } from "./view.ts";

/** Of a wide turn's calls so many are looked at. */
const MOST_CALLS = 8;

type Length = "long" | "short" | "brief" | "receipt" | "word" | "nothing";

/**
 * Evidence by what was asked and how long the answer is that came again, in steps that went nowhere. The unit is another call that
 * hears the same long answer; the shorter an answer is, the more likely is it by chance, and one word is a verdict.
 */
const WEIGHTS: Readonly<Record<Ask, Readonly<Record<Length, number>>>> = {
  again: { long: 1, short: 1, brief: 1, receipt: 1, word: 1, nothing: 1 },
  reworded: { long: 1, short: 1, brief: 0.8, receipt: 0.25, word: 0, nothing: 0.6 },
  other: { long: 1, short: 0.5, brief: 0.5, receipt: 0.1, word: 0, nothing: 0.6 },
  walked: { long: 0.5, short: 0, brief: 0, receipt: 0, word: 0, nothing: 0 },
  "other-tool": { long: 0, short: 0, brief: 0, receipt: 0, word: 0, nothing: 0 },
};
const DEEDS: Readonly<Record<Deed, number>> = { repeated: 1, placeless: 0.6, rewritten: -0.6 };
/** What is new takes more away than an equal call brings. */
const NEWS = -1.25;
/** Another search, and nothing found again. */
const ABSENT = 0.75;
/** What came of the same call is told nowhere. */
const UNANSWERED = 0.6;
/** What has been told before, in several answers: other windows of one text, a search that finds the same in another order. */
const RETOLD = 0.5;
/** To look for lines in those of an answer. */
const LINES_WORK = 128;
/** From this share of words on that the tool has told, a text of at least so many for each new number tells nothing new. */
const KNOWN = { share: 0.85, words: 12 };
/** Where somebody else is waited for: nothing new is to be expected at most looks. */
const WAITING = 0.375;
const WAITING_ELSEWHERE = -0.25;

/** The same is told of another thing, by its name. */
const ANOTHER = 0.25;

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

/** The same acts are weighed again at every step of a history that is read at once. */
const weightsOf = memoizeByRef((_: Work) => new Map<Fingerprint, { weight: number; reach: readonly ActingStep[] }>());

function weightOf(actions: readonly ActingStep[], at: number): number {
  const act = actions[at];
  if (act === undefined) return 0;
  const reach = actions.slice(Math.max(0, at - REACH), at + 1);
  const known = weightsOf(act.work).get(act.fingerprint);
  if (known?.reach.length === reach.length && known.reach.every((one, i) => isSameAct(one, reach[i])))
    return known.weight;
  const weight = weightAmong(actions, at);
  weightsOf(act.work).set(act.fingerprint, { weight, reach });
  return weight;
}

function isSameAct(one: ActingStep, other: ActingStep | undefined): boolean {
  return (
    one.fingerprint === other?.fingerprint &&
    one.at === other.at &&
    one.landed === other.landed &&
    one.polls === other.polls
  );
}

function weightAmong(actions: readonly ActingStep[], at: number): number {
  const calls = callsOf(actions[at]);
  if (calls.length === MOST_CALLS) return wasTakenAlike(actions, at) ? 1 : NEWS;
  return calls.length === 0 ? 0 : Math.min(...calls.map((call) => weightOfCall(actions, at, call)));
}

/** A wide turn as a whole: its calls are too many to be looked at one by one. */
function wasTakenAlike(actions: readonly ActingStep[], at: number): boolean {
  const { callsHash, outcomesHash } = actions[at]?.fingerprint ?? {};
  return actions
    .slice(Math.max(0, at - REACH), at)
    .some(({ fingerprint }) => fingerprint.callsHash === callsHash && fingerprint.outcomesHash === outcomesHash);
}

function weightOfCall(actions: readonly ActingStep[], at: number, call: CallFingerprint): number {
  const closest = closestRelation(actions, at, call);
  const { weight, relation } = closest;
  if (relation === undefined) return ifNew(actions, at, call);
  const isWaiting = actions[at]?.polls === true || call.outcome?.cause === "transient";
  if (isNextItem(actions, at, call, relation)) return 0;
  if (isWaiting && relation.isAbsent !== true) {
    if (relation.ask === "other" || relation.ask === "other-tool") return WAITING_ELSEWHERE;
    return call.outcome?.weight === "nothing" ? 0 : WAITING;
  }
  if (namesAnother(actions, at, call, relation)) return Math.min(weight, ANOTHER);
  // A gesture of which nothing is told but that it was made: what is seen next tells.
  const isSilent = call.moves === true && relation.ask === "again" && call.outcome?.weight === "acknowledgement";
  return isSilent ? 0 : weight;
}

function ifNew(actions: readonly ActingStep[], at: number, call: CallFingerprint): number {
  const retold = weightIfRetold(actions, at, call);
  if (retold > 0) return retold;
  return isReadBack(actions[at - 1], call) ? 0 : NEWS;
}

interface Closest {
  readonly weight: number;
  /** How far what was asked and what came back are from the earlier ones. */
  readonly distance: number;
  /** Undefined where it is all new. */
  readonly relation: Relation | undefined;
}

const ALL_NEW: Closest = { weight: NEWS, distance: Number.POSITIVE_INFINITY, relation: undefined };

/** What a call is to the earlier one that is most like it. After a change every look is a new one. */
function closestRelation(actions: readonly ActingStep[], at: number, call: CallFingerprint): Closest {
  let closest = ALL_NEW;
  const figures = () => figuresAt(actions, at, call);
  const isWatching = actions[at]?.polls === true;
  for (let i = at - 1; i >= Math.max(0, at - REACH); i--) {
    const earlier = actions[i];
    if (earlier === undefined || (earlier.landed && !isEffect(call))) break;
    const calls = callsOf(earlier);
    for (const one of calls) {
      const next = closenessOf(relate(one, call, earlier.work, figures), one, call);
      if (next.distance < closest.distance) closest = next;
    }
    if (closest.distance === 0) break;
    // What is watched may come back to where it was: only the last look counts.
    if (isWatching && calls.some(({ hash }) => hash === call.hash)) break;
  }
  return closest;
}

function closenessOf(relation: Relation, earlier: CallFingerprint, later: CallFingerprint): Closest {
  const { ask, action, deed, result, isAbsent } = relation;
  const known = (weight: number, distance: number): Closest => ({ weight, distance, relation });
  if (deed !== undefined) return known(DEEDS[deed], deed === "repeated" ? 0 : 2 - DEEDS[deed]);
  if (isAbsent === true) return known(ABSENT, action + ABSENT / 2);
  if (result === 1) {
    const isUnanswered = ask === "again" && (earlier.outcome === undefined || later.outcome === undefined);
    return isUnanswered ? known(UNANSWERED, action) : ALL_NEW;
  }
  // A gesture at another place is to change what is seen.
  const weight = WEIGHTS[later.moves === true && ask === "walked" ? "other" : ask][lengthOf(later)];
  return known(ask === "other" && later.outcome?.absence !== undefined ? Math.max(weight, ABSENT) : weight, action);
}

/** From this share of common words on a result is what was written; where it was written to is told beside it. */
const READ_BACK = 0.6;

/** What was written last is what is read now, or what was shown last is shown behind a wait. */
function isReadBack(before: ActingStep | undefined, { kind, outcome }: CallFingerprint): boolean {
  if (before === undefined || outcome === undefined || outcome.words < LONG) return false;
  const isShownAgain = (one: CallFingerprint) =>
    kind === "poll" &&
    one.outcome !== undefined &&
    similarity(one.outcome.similarity, outcome.similarity) >= KNOWN.share;
  const isWritten = (one: CallFingerprint) => similarity(one.similarity, outcome.similarity) >= READ_BACK;
  return callsOf(before).some((one) => isShownAgain(one) || (before.landed && isWritten(one)));
}

function weightIfRetold(actions: readonly ActingStep[], at: number, call: CallFingerprint): number {
  const { moves, outcome } = call;
  if (outcome === undefined || moves === true || isEffect(call)) return 0;
  if (outcome.words < KNOWN.words && outcome.lines === undefined) return 0;
  const told = answersTo(actions, at, call);
  const lines = told.flatMap((one) => one.lines ?? []);
  const isPaid = actions[at]?.work.spend(LINES_WORK * lines.length) === true;
  const unknown = isPaid ? unknownLines(outcome.lines, lines) : Number.POSITIVE_INFINITY;
  // Of answers in the same words figures decide.
  if (told.some(({ shape }) => shape === outcome.shape)) return 0;
  if (unknown === 0) return 1;
  if (told.length < 2 || outcome.words < KNOWN.words) return 0;
  const sketches = [...told, call].map(({ similarity: sketch }) => sketch);
  if (!isKnownBy(outcome.similarity, sketches, KNOWN.share)) return 0;
  const figures = call.slots + told.map(({ slots }) => slots).join("");
  const news = slotsIn(outcome.slots).filter((slot) => numberOf(slot) !== undefined && !hasSlot(figures, slot)).length;
  return news * KNOWN.words <= outcome.words ? RETOLD : 0;
}

/** What the tool has answered since the last change, the newest first; nothing where a look tells more than an equal one before. */
function answersTo(actions: readonly ActingStep[], at: number, call: CallFingerprint): readonly OutcomeFingerprint[] {
  const told: OutcomeFingerprint[] = [];
  for (let i = at - 1; i >= Math.max(0, at - REACH) && actions[i]?.landed !== true; i--) {
    for (const { tool, hash, outcome } of callsOf(actions[i])) {
      if (tool !== call.tool || outcome === undefined) continue;
      // A log that is waited for, a list of steps that are done.
      const isGrowing = hash === call.hash && outcome.words < (call.outcome?.words ?? 0);
      if (actions[at]?.polls === true && isGrowing) return [];
      told.push(outcome);
    }
  }
  return told;
}

const EMPTY = ".";

/** Whether hardly a word of a text is new after the others. @param share of its words that they have, 0 to 1 */
export function isKnownBy(text: Sketch, others: readonly Sketch[], share: number): boolean {
  let [used, shared] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === EMPTY) continue;
    used++;
    if (others.some((other) => other[i] === text[i])) shared++;
  }
  return used > 0 && shared / used >= share;
}

/** Fewer words are a receipt, or one thing that is told of an item; of a record, whose fields have names, fewer yet. */
const BRIEF = 12;

/** The next item of a batch: no call of its tool was about it before, nothing that came back names it, and the answer is brief and no failure. */
function isNextItem(actions: readonly ActingStep[], at: number, call: CallFingerprint, relation: Relation): boolean {
  const { tool, moves, sized, outcome } = call;
  const { ask, deed, isAbsent } = relation;
  if (outcome === undefined || moves === true || sized === true || deed !== undefined || isAbsent === true)
    return false;
  if (ask === "again" || ask === "other-tool") return false;
  if (outcome.failed || outcome.complains === true || outcome.weight === "nothing") return false;
  // What nothing is found by is another search; at the next number it is another place.
  if (outcome.absence !== undefined && ask !== "walked") return false;
  if (outcome.words >= (outcome.structured === true ? LONG : BRIEF) || itemOf(call) === "") return false;
  return callsBefore(actions, at).every(
    (one) => one.tool !== tool || (itemOf(one) !== itemOf(call) && !asksForWhatCame(one, call)),
  );
}

/** It asks in the same words of what no call of its tool has named: a module after a module, a file after a file. */
function namesAnother(actions: readonly ActingStep[], at: number, call: CallFingerprint, relation: Relation): boolean {
  const { tool, kind, names = "", outcome } = call;
  if (kind !== "other" || names === "" || outcome === undefined || outcome.failed || outcome.complains === true)
    return false;
  if (relation.deed !== undefined || relation.ask === "again") return false;
  const earlier = callsBefore(actions, at);
  const known = new Set(earlier.flatMap((one) => (one.tool === tool ? codesOf(one.names) : [])));
  return !earlier.some((one) => asksForWhatCame(one, call)) && codesOf(names).some((code) => !known.has(code));
}

function callsBefore(actions: readonly ActingStep[], at: number): readonly CallFingerprint[] {
  return actions.slice(Math.max(0, at - REACH), at).flatMap(callsOf);
}

/** Its arguments that are one word each, and its figures; what is asked at length is no name. */
function itemOf({ place = "", slots, words }: CallFingerprint): string {
  return place === "" && words >= BRIEF ? "" : `${place}${slots}`;
}

const SHORT = 4;

function lengthOf({ outcome }: CallFingerprint): Length {
  if (outcome === undefined) return "nothing";
  const { weight, words, structured } = outcome;
  if (weight === "nothing") return words > 0 && structured !== true ? "word" : "nothing";
  if (weight === "acknowledgement") return "receipt";
  if (words >= LONG) return "long";
  return words >= SHORT ? "short" : "brief";
}

function callsOf(action: ActingStep | undefined): readonly CallFingerprint[] {
  const calls = action?.fingerprint.calls ?? [];
  return calls.length <= MOST_CALLS ? calls : calls.slice(0, MOST_CALLS);
}

/** To look at one figure of a result, as at a call. */
const FIGURE_WORK = 6;

/** What the figures of a call's results have done up to an act. Several detectors ask it of the same window. */
export function figuresAt(actions: readonly ActingStep[], at: number, call: CallFingerprint): FigureHistory {
  const act = actions[at];
  if (act === undefined) return NO_FIGURES;
  const known = figuresOf(act);
  const key = `${call.hash} ${call.outcome?.hash}`;
  const history = known.get(key) ?? newHistory();
  known.set(key, history);
  return history;

  function newHistory(): FigureHistory {
    const figures = call.outcome?.slots.length ?? 0;
    const results = resultsLike(actions, at, call);
    const isPaid = act?.work.spend((REACH + results.length * figures) * FIGURE_WORK) === true;
    return isPaid ? figureHistory(results) : NO_FIGURES;
  }
}

const figuresOf = memoizeByRef((_: ActingStep) => new Map<string, FigureHistory>());

/** The tool's results in the words of a call's own, that one included. */
function resultsLike(actions: readonly ActingStep[], at: number, call: CallFingerprint): readonly RankedResult[] {
  const ranked = actions
    .slice(Math.max(0, at - REACH), at + 1)
    .flatMap((action) => callsOf(action).map((other) => ({ call: other, at: action.at })))
    .filter((one) => one.call.tool === call.tool);
  return ranked.slice(-REACH).flatMap(({ call: other, at: from }, rank) => {
    const { outcome } = other;
    if (outcome === undefined || outcome.shape !== call.outcome?.shape) return [];
    if (outcome.slots.length !== call.outcome.slots.length) return [];
    return [{ outcome, call: other, rank, at: from, isNear: other.hash === call.hash || isVariation(other, call) }];
  });
}

/** Between each two of them an act tells something new. A failure moves nothing. */
export function movesSomething(actions: readonly ActingStep[], repeats: readonly ActingStep[]): boolean {
  const places = repeats.map((repeat) => actions.indexOf(repeat));
  if (repeats.length < 2 || repeats.some(({ fingerprint }) => hasFailed(fingerprint))) return false;
  return places.slice(1).every((to, i) => {
    const between = actions.slice((places[i] ?? to) + 1, to);
    return between.some(
      (act, ago) => !act.fingerprint.calls.every(isEffect) && tellsNews(actions, to - between.length + ago),
    );
  });
}

function tellsNews(actions: readonly ActingStep[], at: number): boolean {
  return weightOf(actions, at) === NEWS;
}
