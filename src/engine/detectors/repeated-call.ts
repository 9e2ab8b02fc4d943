import {
  choiceSetting,
  defineDetector,
  findingIn,
  type RawFinding,
  type SettingValues,
  wholeNumberSetting,
} from "../detector.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { type Fingerprint, hasSameOutcomes } from "../fingerprint/fingerprint.ts";
import { movesUnseen, movingPlaces, standsAlike } from "../comparing/movement.ts";
import { hasAddendum, isPutToUse, isSameReport } from "../comparing/same-result.ts";
import { tellsTheSame as isAnsweredAlike } from "../comparing/telling.ts";
import { samePageAs } from "../comparing/same-page.ts";
import { figuresAt } from "../evidence/evidence.ts";
import { movesSomething } from "../evidence/moved-looks.ts";
import { nearlyEqual } from "../../scan/scan.ts";
import { type ActingStep, hasFailed, toolsIn, toolNames } from "../view.ts";

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
  grades: { failing: "refining", transient: "refining", send: "refining", unequal: "refining" },
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
    const alike = bestRow(actions, action, compared);
    const best = compared.outcome === "same" ? sinceProgress(actions, action, alike, compared) : alike;
    // A user who spoke before a repeat may have asked for it.
    const wanted = best.repeats.slice(1).filter((repeat) => repeat.userBefore).length;
    const count = best.count - wanted;
    return count < 2 ? [] : [finding(action, best.repeats, count, compared)];
  },
});

/** Comparison of outcomes that applies to this acting step. */
function comparedFor({ fingerprint }: ActingStep, { outcome }: RepeatedCallSettings): RepeatedCallSettings["outcome"] {
  if (outcome !== "any-on-target") return outcome;
  return fingerprint.calls.every(({ targeted }) => targeted === true) ? "any" : outcome;
}

interface Row {
  readonly repeats: readonly ActingStep[];
  readonly count: number;
}

function bestRow(
  actions: readonly ActingStep[],
  action: ActingStep,
  settings: RepeatedCallSettings,
  isRepeat: IsRepeat = repeatOf(action, actions, settings),
): Row {
  const row = inARow(actions, isRepeat);
  const found = nearby(actions, action, isRepeat, settings);
  const near = settings.changes === "reset" && movesSomething(actions, found) ? [] : found;
  // Other work between repeats is a sign of life.
  const nearCount = lapsIn(near) - settings.gapPenalty;
  const rowCount = lapsIn(row);
  return nearCount > rowCount ? { repeats: near, count: nearCount } : { repeats: row, count: rowCount };
}

/** Equal calls of one turn count as often as they stand there. */
function lapsIn(repeats: readonly ActingStep[]): number {
  return repeats.reduce((sum, { fingerprint }) => sum + (fingerprint.laps ?? 1), 0);
}

/**
 * What is new in the results each time moves, or is put to use: then it is what the calls are made for, and only those count
 * that have found the same figures. The figures of a failure say nothing.
 */
function sinceProgress(
  actions: readonly ActingStep[],
  action: ActingStep,
  alike: Row,
  settings: RepeatedCallSettings,
): Row {
  const { repeats } = alike;
  const [first] = repeats;
  if (first === undefined || repeats.every(hasOutcomesOf(first))) return alike;
  const moving = action.fingerprint.calls.map(({ hash }) => ({
    hash,
    places: movingPlaces(repeats.map((repeat) => resultOf(repeat, hash))),
  }));
  const moves =
    !hasFailed(action.fingerprint) &&
    moving.some(({ hash, places }) => places.length > 0 || movesUnseenIn(repeats, hash));
  if (!moves && !isUsed(actions, first, repeats)) return alike;
  const isEqual = repeatOf(action, actions, { ...settings, outcome: "equal" });
  const isSame = repeatOf(action, actions, settings);
  const stands: IsRepeat = (earlier) =>
    isEqual(earlier) ||
    (moves &&
      !isEffect(action) &&
      isSame(earlier) &&
      moving.every(({ hash, places }) => standsAlike(resultOf(earlier, hash), resultOf(action, hash), places)));
  return bestRow(actions, action, settings, stands);
}

const resultOf = ({ fingerprint }: ActingStep, hash: string) =>
  fingerprint.calls.find((call) => call.hash === hash)?.outcome;

function movesUnseenIn(repeats: readonly ActingStep[], hash: string): boolean {
  return repeats.some((repeat, i) => {
    const before = repeats[i - 1];
    return before !== undefined && movesUnseen(resultOf(before, hash), resultOf(repeat, hash));
  });
}

function isUsed(actions: readonly ActingStep[], first: ActingStep, repeats: readonly ActingStep[]): boolean {
  const others = actions.slice(actions.indexOf(first)).filter((action) => !repeats.includes(action));
  const calls = others.flatMap(({ fingerprint }) => fingerprint.calls);
  return first.fingerprint.calls.some(({ hash }) =>
    isPutToUse(
      repeats.map((repeat) => resultOf(repeat, hash)),
      calls,
    ),
  );
}

const hasOutcomesOf = (one: ActingStep) => (other: ActingStep) => hasSameOutcomes(one.fingerprint, other.fingerprint);

/** Equal but for a note behind one of them. */
const hasEqualResultsTo = (one: ActingStep) => (other: ActingStep) =>
  hasOutcomesOf(one)(other) ||
  one.fingerprint.calls.every(({ hash, outcome }) => {
    const there = resultOf(other, hash);
    return outcome !== undefined && there !== undefined && hasAddendum(there, outcome);
  });

type IsRepeat = (earlier: ActingStep) => boolean;

function finding(
  action: ActingStep,
  repeats: readonly ActingStep[],
  count: number,
  { outcome }: RepeatedCallSettings,
): RawFinding {
  const isUnequal = outcome === "same" && !isEffect(action) && !repeats.every(hasEqualResultsTo(action));
  const known = isSend(action) ? "send" : gradeOf(outcome === "any" ? repeats : [action]);
  const grade = known ?? (isUnequal ? "unequal" : undefined);
  const among = amongTexts[outcome];
  return findingIn(repeats, {
    ...(grade === undefined ? {} : { grade }),
    // What is written or sent keeps its name though each report has an id of its own.
    loop: `repeated-call:${action.fingerprint.callsHash}:${outcome === "any" || outcome === "page" || isEffect(action) ? "" : nameOf(action, repeats)}`,
    count,
    repeats: count - 1,
    tools: toolsIn([action]),
    note: `${toolNames(action.fingerprint)}: the same call ${among}, ${lapsIn(repeats)} times`,
  });
}

const amongTexts: Readonly<Record<RepeatedCallSettings["outcome"], string>> = {
  same: "with the same outcome",
  equal: "with the same outcome",
  page: "on the same page",
  any: "whatever came back",
  "any-on-target": "with the same outcome",
};

/** Name of what all results have in common, where they are not equal. */
function nameOf(action: ActingStep, repeats: readonly ActingStep[]): string {
  const { calls, outcomesHash } = action.fingerprint;
  return calls.length > 1 || repeats.every(hasOutcomesOf(action)) ? outcomesHash : (calls[0]?.outcome?.shape ?? "");
}

/** Where outcomes may differ, one that succeeded makes it no failing call. */
function gradeOf(repeats: readonly ActingStep[]): string | undefined {
  if (!repeats.every(({ fingerprint }) => hasFailed(fingerprint))) return undefined;
  const passing = repeats.every(({ fingerprint }) =>
    fingerprint.calls.every((call) => call.outcome?.cause === "transient"),
  );
  return passing ? "transient" : "failing";
}

/** A message that went out reaches a person each time, whatever id the answer carries. */
function isSend(action: ActingStep): boolean {
  return action.fingerprint.calls.every((call) => call.kind === "send" && call.outcome?.failed !== true);
}

function repeatOf(
  action: ActingStep,
  actions: readonly ActingStep[],
  { outcome, order }: RepeatedCallSettings,
): IsRepeat {
  const sends = isSend(action);
  const isOnSamePage = outcome === "page" ? samePageAs(action, actions) : undefined;
  return (earlier) => {
    if (earlier.fingerprint.callsHash !== action.fingerprint.callsHash) return false;
    if (order === "kept" && earlier.fingerprint.order !== action.fingerprint.order) return false;
    if (outcome === "any-on-target" && !hasHeardTheSame(earlier.fingerprint, action.fingerprint)) return false;
    if (outcome === "any" || hasSameOutcomes(earlier.fingerprint, action.fingerprint)) return true;
    if (isOnSamePage !== undefined) return isOnSamePage(earlier);
    if (outcome === "same" && tellsTheSame(actions, earlier, action)) return true;
    return sends ? !hasFailed(earlier.fingerprint) : sameEffect(earlier, action);
  };
}

/** The state of a page may be told beside what an action reports. */
function hasHeardTheSame(a: Fingerprint, b: Fingerprint): boolean {
  return a.heardHashes.join() === b.heardHashes.join();
}

function tellsTheSame(actions: readonly ActingStep[], earlier: ActingStep, action: ActingStep): boolean {
  if (earlier.polls || action.polls || earlier.fingerprint.calls.length !== action.fingerprint.calls.length)
    return false;
  const tells = isEffect(action) ? isSameReport : tellsAlike(actions, actions.indexOf(action));
  return action.fingerprint.calls.every((call) =>
    earlier.fingerprint.calls.some((other) => call.hash === other.hash && tells(other, call)),
  );
}

const tellsAlike = (actions: readonly ActingStep[], at: number) => (earlier: CallFingerprint, call: CallFingerprint) =>
  isAnsweredAlike(earlier, call, () => figuresAt(actions, at, call));

/** "Clicked" says nothing of what it did: what is seen next does. */
function isBlind(action: ActingStep): boolean {
  return action.fingerprint.calls.every(({ outcome }) => outcome?.weight === "acknowledgement");
}

/** Acts that brought what none before them had brought. */
function newsIn(actions: readonly ActingStep[]): ReadonlySet<ActingStep> {
  const pairs = new Set<string>();
  return new Set(
    actions.filter(
      ({ fingerprint }) => pairs.size !== pairs.add(`${fingerprint.callsHash} ${fingerprint.outcomesHash}`).size,
    ),
  );
}

function isEffect(action: ActingStep): boolean {
  return action.fingerprint.calls.every(
    (call) => (call.kind === "write" || call.kind === "send") && call.outcome?.failed === false,
  );
}

/** Two calls made the same change: their reports differ by an id or a counter at most. */
function sameEffect(a: ActingStep, b: ActingStep): boolean {
  return (
    isEffect(a) && isEffect(b) && a.fingerprint.calls.every((call) => b.fingerprint.calls.some(isNearReport(call)))
  );
}

const isNearReport = (call: CallFingerprint) => (other: CallFingerprint) =>
  call.hash === other.hash &&
  call.outcome !== undefined &&
  other.outcome !== undefined &&
  nearlyEqual(call.outcome.similarity, other.outcome.similarity);

function inARow(actions: readonly ActingStep[], isRepeat: IsRepeat): readonly ActingStep[] {
  const others = actions.findLastIndex((earlier, i) => i < actions.length - 1 && !isRepeat(earlier));
  return actions.slice(others + 1);
}

/** Repeats among the last acts, back to where the outcome was another, a change landed, or a blind call was followed by news. */
function nearby(
  actions: readonly ActingStep[],
  action: ActingStep,
  isRepeat: IsRepeat,
  settings: RepeatedCallSettings,
): readonly ActingStep[] {
  const { window, anchor, changes } = settings;
  const news = changes === "reset" && isBlind(action) ? newsIn(actions) : new Set();
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
