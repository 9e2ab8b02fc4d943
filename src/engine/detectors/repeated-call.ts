import {
  choiceSetting,
  defineDetector,
  findingIn,
  type RawFinding,
  type SettingValues,
  wholeNumberSetting,
} from "../detector.ts";
import { figuresAt, movesSomething } from "../evidence.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { setsValue } from "../reading/tool-kind.ts";
import { hasSameOutcomes, isAnsweredAlike, isEffect, MUCH, relate } from "../relation.ts";
import { hasFailed, toolNames } from "../steps.ts";
import { type ActingStep, toolsIn } from "../view.ts";

const settings = {
  /** How far back repeats with other work between them are looked for, in acts; 1: only what comes in a row. */
  window: wholeNumberSetting(8),
  /** What `window` is measured from: `here` (all repeats lie among the last acts) or the next `repeat` (each of them does). */
  anchor: choiceSetting("here", "repeat"),
  /** Further repeats that are needed where other work lies between. */
  gapPenalty: wholeNumberSetting(1, 0),
  /**
   * `same`: only an outcome that tells the same makes it a repeat, whatever ids and counters are in it; `page`: only the same
   * page, whatever changes on it by itself; `equal`: only an equal one; `any`: the calls alone are compared; `any-on-target`:
   * so those whose target a tool rule's `only` names, and of others (scrolling, waiting) what came back and what was heard is
   * to be equal, too.
   */
  outcome: choiceSetting("same", "page", "equal", "any", "any-on-target"),
  /** `any`: a turn is the set of its calls; `kept`: it is their sequence. */
  order: choiceSetting("any", "kept"),
  /** `reset`: a change that landed in between starts afresh; `ignore`: it does not. */
  changes: choiceSetting("reset", "ignore"),
  /** `leave`: waiting has a detector of its own; `count`: a wait is a call like any other. */
  polls: choiceSetting("leave", "count"),
};

type RepeatedCallSettings = SettingValues<typeof settings>;

/** Repeated call: the same turn with the same outcome, in a row or among the last few. */
export const repeatedCall = defineDetector({
  name: "repeated-call",
  grades: { failing: "refining", transient: "refining", send: "refining", unequal: "refining", still: "extra" },
  tells: { main: "call", failing: "failing-call" },
  settings,
  predicts: {
    by: "calls",
    once: ["send"],
    countsPolls: ({ polls }) => polls === "count",
    comparesPages: ({ outcome }) => outcome === "page",
  },
  detect({ action, actions, repeats }, settings) {
    if (action === undefined || !repeats || (settings.polls === "leave" && action.polls)) return [];
    const compared = { ...settings, outcome: comparedFor(action, settings) };
    const row = longestRow(actions, action, compared);
    // A user who spoke before a repeat may have asked for it.
    const count = row.count - row.repeats.slice(1).filter((repeat) => repeat.userBefore).length;
    const findings = count < 2 ? [] : [finding(action, row.repeats, count, compared)];
    return [...findings, ...(compared.outcome === "same" ? still(actions, action, count) : [])];
  },
});

function comparedFor({ fingerprint }: ActingStep, { outcome }: RepeatedCallSettings): RepeatedCallSettings["outcome"] {
  if (outcome !== "any-on-target") return outcome;
  return fingerprint.calls.every(({ targeted }) => targeted === true) ? "any" : outcome;
}

/** In a row the same call with a long answer in which next to nothing differs, though a figure of it may lead somewhere. */
function still(actions: readonly ActingStep[], action: ActingStep, known: number): readonly RawFinding[] {
  const { callsHash, calls } = action.fingerprint;
  if (calls.some(({ outcome }) => (outcome?.words ?? 0) < MUCH)) return [];
  const isAlike = (one: CallFingerprint, call: CallFingerprint) =>
    relate(one, call, action.work, undefined, "still").result < 1;
  const isSame = ({ fingerprint, polls }: ActingStep) =>
    fingerprint.callsHash === callsHash && !polls && isAnsweredAlike(fingerprint, action.fingerprint, isAlike);
  const others = actions.findLastIndex((earlier, i) => !isSame(earlier) || actions[i + 1]?.userBefore === true);
  const row = actions.slice(others + 1);
  if (row.length <= known) return [];
  const note = `${toolNames(action.fingerprint)}: the same call with nearly the same long answer, ${row.length} times`;
  return [findingIn(row, { grade: "still", loop: `repeated-call:${callsHash}:still`, tools: toolsIn([action]), note })];
}

interface Row {
  readonly repeats: readonly ActingStep[];
  readonly count: number;
}

/** Repeats in a row, or those with other work between them, which is a sign of life and costs a few. */
function longestRow(actions: readonly ActingStep[], action: ActingStep, settings: RepeatedCallSettings): Row {
  const isRepeat = repeatOf(action, actions, settings);
  const row = actions.slice(actions.findLastIndex((earlier) => earlier !== action && !isRepeat(earlier)) + 1);
  const found = nearby(actions, action, isRepeat, settings);
  const near = settings.changes === "reset" && movesSomething(actions, found) ? [] : found;
  const nearCount = lapsIn(near) - settings.gapPenalty;
  return nearCount > lapsIn(row) ? { repeats: near, count: nearCount } : { repeats: row, count: lapsIn(row) };
}

/** Equal calls of one turn count as often as they stand there. */
function lapsIn(repeats: readonly ActingStep[]): number {
  return repeats.reduce((sum, { fingerprint }) => sum + (fingerprint.laps ?? 1), 0);
}

type IsRepeat = (earlier: ActingStep) => boolean;

function repeatOf(action: ActingStep, actions: readonly ActingStep[], settings: RepeatedCallSettings): IsRepeat {
  const { outcome, order } = settings;
  const { callsHash, heardHashes, order: sequence, calls } = action.fingerprint;
  const page = calls.every(({ tool }) => setsValue(tool)) ? "input" : "state";
  const look = outcome === "page" ? page : undefined;
  const isAgain = (other: CallFingerprint, call: CallFingerprint): boolean =>
    relate(other, call, action.work, () => figuresAt(actions, actions.length - 1, call), look).result < 1;
  return (earlier) => {
    const { fingerprint: print, polls } = earlier;
    if (print.callsHash !== callsHash || (order === "kept" && print.order !== sequence)) return false;
    // The state of a page may be told beside what an action reports.
    if (outcome === "any-on-target" && print.heardHashes.join() !== heardHashes.join()) return false;
    if (outcome === "any") return true;
    if (outcome !== "page" && isSend(action) && !hasFailed(print)) return true;
    const isExact =
      outcome === "equal" || outcome === "any-on-target" || (outcome === "same" && (polls || action.polls));
    return isAnsweredAlike(print, action.fingerprint, isExact ? () => false : isAgain);
  };
}

/** Repeats among the last acts, back to where the outcome was another, a change landed, or a blind call was followed by news. */
function nearby(
  actions: readonly ActingStep[],
  action: ActingStep,
  isRepeat: IsRepeat,
  { window, anchor, changes }: RepeatedCallSettings,
): readonly ActingStep[] {
  // "Clicked" says nothing of what it did: what is seen next does.
  const isBlind = action.fingerprint.calls.every(
    ({ moves, outcome }) => moves === true || outcome?.weight === "acknowledgement",
  );
  const news = changes === "reset" && isBlind ? newsIn(actions) : new Set();
  const matches: ActingStep[] = [];
  let last = anchor === "here" ? actions.length - window : actions.length - 1;
  for (let i = actions.length - 1; i >= Math.max(0, last); i--) {
    const earlier = actions[i];
    if (earlier === undefined) break;
    if (isRepeat(earlier)) {
      matches.unshift(earlier);
      if (anchor === "repeat") last = i - window;
    } else if (
      earlier.fingerprint.callsHash === action.fingerprint.callsHash ||
      (changes === "reset" && earlier.landed) ||
      news.has(earlier)
    )
      break;
  }
  return matches;
}

function newsIn(actions: readonly ActingStep[]): ReadonlySet<ActingStep> {
  const pairs = new Set<string>();
  return new Set(
    actions.filter(
      ({ fingerprint }) => pairs.size !== pairs.add(`${fingerprint.callsHash} ${fingerprint.outcomesHash}`).size,
    ),
  );
}

function finding(
  action: ActingStep,
  repeats: readonly ActingStep[],
  count: number,
  { outcome }: RepeatedCallSettings,
): RawFinding {
  const { fingerprint } = action;
  // What is written or sent keeps its name though each report has an id of its own.
  const isChange = fingerprint.calls.every(isEffect);
  const grade =
    gradeOf(action, outcome === "any" ? repeats : [action]) ??
    (outcome === "same" && !isChange && !repeats.every((repeat) => isCertain(repeat, action)) ? "unequal" : undefined);
  const isEqual = repeats.every((repeat) => hasSameOutcomes(repeat.fingerprint, fingerprint));
  const shape =
    fingerprint.calls.length > 1 || isEqual ? fingerprint.outcomesHash : fingerprint.calls[0]?.outcome?.shape;
  return findingIn(repeats, {
    ...(grade !== undefined && { grade }),
    loop: `repeated-call:${fingerprint.callsHash}:${outcome === "any" || outcome === "page" || isChange ? "" : shape}`,
    count,
    repeats: count - 1,
    tools: toolsIn([action]),
    note: `${toolNames(fingerprint)}: the same call ${amongTexts[outcome] ?? "with the same outcome"}, ${lapsIn(repeats)} times`,
  });
}

const amongTexts: { readonly [Outcome in RepeatedCallSettings["outcome"]]?: string } = {
  page: "on the same page",
  any: "whatever came back",
};

function isCertain({ fingerprint: earlier }: ActingStep, { fingerprint: later, work }: ActingStep): boolean {
  return isAnsweredAlike(earlier, later, (one, call) => relate(one, call, work).result === 0);
}

/** Where outcomes may differ, one that succeeded makes it no failing call. */
function gradeOf(action: ActingStep, repeats: readonly ActingStep[]): "send" | "failing" | "transient" | undefined {
  if (isSend(action)) return "send";
  if (!repeats.every(({ fingerprint }) => hasFailed(fingerprint))) return undefined;
  const calls = repeats.flatMap(({ fingerprint }) => fingerprint.calls);
  return calls.every(({ outcome }) => outcome?.cause === "transient") ? "transient" : "failing";
}

/** A message that went out reaches a person each time, whatever id the answer carries. */
function isSend({ fingerprint }: ActingStep): boolean {
  return fingerprint.calls.every((call) => call.kind === "send" && call.outcome?.failed !== true);
}
