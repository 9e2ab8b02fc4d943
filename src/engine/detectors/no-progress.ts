import { defineDetector, type RawFinding } from "../detector.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { unmovedChecks } from "./unmoved.ts";
import { isNextPlace, isSameAnswer } from "../comparing/same-result.ts";
import { isBrief, similarity } from "../../scan/scan.ts";
import { type ActingStep, toolsIn, toolNames, worksThroughList } from "../view.ts";

/** Distance at which equal answers still count, in acting steps. */
const REACH = 24;

/** No progress: the calls differ and the answer does not. The same informative text, or the same error that no other try can mend. */
export const noProgress = defineDetector({
  name: "no-progress",
  grades: { failing: "refining", empty: "refining", walk: "refining", unmoved: "refining" },
  tells: "answer",
  settings: {},
  detect({ action, actions }) {
    const answer = action === undefined ? undefined : answerOf(action);
    if (action === undefined || answer === undefined) return [];
    return [...othersWithSameAnswer(actions, action, answer), ...unmoved(actions, action)];
  },
});

function othersWithSameAnswer(
  actions: readonly ActingStep[],
  action: ActingStep,
  answer: OutcomeFingerprint,
): readonly RawFinding[] {
  const grade = gradeOf(action, answer);
  if (grade === undefined) return [];
  const alike = sameAnswers(actions, action, answer, grade);
  const variants = new Set(alike.map((earlier) => earlier.fingerprint.callsHash));
  if (variants.size < 2 || alike.length < 3 || worksThroughList(alike)) return [];
  return [
    finding(
      action,
      answer,
      alike,
      grade === "informative" && (isRound(alike) || isRoundOfNames(alike)) ? "walk" : grade,
    ),
  ];
}

/** Something was changed each time, and the same check says the same. */
function unmoved(actions: readonly ActingStep[], action: ActingStep): readonly RawFinding[] {
  const checks = unmovedChecks(actions, action);
  if (checks.length < 3) return [];
  return [
    {
      grade: "unmoved",
      loop: `no-progress:unmoved:${action.fingerprint.callsHash}`,
      count: checks.length,
      evidence: checks.map((check) => check.at),
      tools: toolsIn([action]),
      note: `${toolNames(action.fingerprint)}: the same complaint after each of ${checks.length - 1} changes`,
    },
  ];
}

/**
 * `failing`: an error that no other try can mend; `empty`: no answer to near-identical calls; `walk`: a few words at each of
 * several numbered places; `informative`: the rest.
 * Undefined where equal answers are to be expected: to changes and plans, and to failures that may pass.
 */
type Grade = "informative" | "failing" | "empty" | "walk";

function gradeOf(action: ActingStep, answer: OutcomeFingerprint): Grade | undefined {
  if (answer.cause !== undefined && answer.cause !== "transient") return "failing";
  if (answer.failed || (action.polls && answer.pending)) return undefined;
  if (action.fingerprint.calls.some((call) => ["write", "send", "plan"].includes(call.kind))) return undefined;
  if (answer.weight === "informative") return "informative";
  return answer.weight === "nothing" ? "empty" : undefined;
}

function finding(
  action: ActingStep,
  answer: OutcomeFingerprint,
  alike: readonly ActingStep[],
  grade: Grade,
): RawFinding {
  const tool = toolNames(action.fingerprint);
  return {
    ...(grade === "informative" ? {} : { grade }),
    loop: `no-progress:${tool}:${answer.cause ?? alike[0]?.fingerprint.outcomesHash}`,
    count: alike.length,
    evidence: alike.map((earlier) => earlier.at),
    tools: toolsIn([action]),
    note: `${tool}: different calls, the same answer, ${alike.length} times`,
  };
}

/** Only turns with one call: an answer must be the answer to something. */
function answerOf(action: ActingStep): OutcomeFingerprint | undefined {
  return action.fingerprint.calls.length === 1 ? action.fingerprint.calls[0]?.outcome : undefined;
}

/** Back to where the same tool answered something else, a change landed, or a user spoke. */
function sameAnswers(
  actions: readonly ActingStep[],
  action: ActingStep,
  answer: OutcomeFingerprint,
  grade: Grade,
): readonly ActingStep[] {
  const matches: ActingStep[] = [];
  for (const earlier of actions.slice(-REACH).reverse()) {
    const out = answerOf(earlier);
    if (toolNames(earlier.fingerprint) === toolNames(action.fingerprint) || answer.cause === "unknown-tool") {
      if (
        out === undefined ||
        !sameAnswer(earlier, action, answer) ||
        !isVariation(earlier, matches[0] ?? action, grade)
      )
        break;
      matches.unshift(earlier);
    } else if (isBarredAlike(earlier, action, answer)) matches.unshift(earlier);
    else if (earlier.landed) break;
    if (earlier.userBefore) break;
  }
  return matches;
}

/** By another tool, and for want of the same rights, in the same words. */
function isBarredAlike(earlier: ActingStep, action: ActingStep, { cause }: OutcomeFingerprint): boolean {
  if (cause !== "auth" && cause !== "denied") return false;
  return answerOf(earlier)?.cause === cause && haveBoth(earlier, action, isSameAnswer);
}

function sameAnswer(earlier: ActingStep, action: ActingStep, answer: OutcomeFingerprint): boolean {
  if (answer.cause !== undefined) return answerOf(earlier)?.cause === answer.cause;
  return haveBoth(earlier, action, isSameAnswer);
}

type Compare = (a: CallFingerprint, b: CallFingerprint) => boolean;

function haveBoth({ fingerprint: a }: ActingStep, { fingerprint: b }: ActingStep, compare: Compare): boolean {
  const [one, other] = [a.calls[0], b.calls[0]];
  return one !== undefined && other !== undefined && compare(one, other);
}

/** Another way of asking for the same: an empty answer tells so little that the calls must be near-identical. */
function isVariation(earlier: ActingStep, action: ActingStep, grade: Grade): boolean {
  if (grade === "empty") return haveBoth(earlier, action, isNear);
  return grade === "failing" || !haveBoth(earlier, action, isNextPlace);
}

/** Each call asks at another numbered place (a day, a row, an id), and a few words are the answer everywhere. */
function isRound(alike: readonly ActingStep[]): boolean {
  const places = new Set(alike.map(({ fingerprint }) => fingerprint.calls[0]?.slots ?? ""));
  // Two places in many may share a code.
  return (
    !places.has("") &&
    alike.every(({ fingerprint }) => fingerprint.calls[0]?.sized !== true) &&
    places.size >= alike.length * 0.8 &&
    alike.every(({ fingerprint }) => isBrief(fingerprint.calls[0]?.outcome?.similarity ?? ""))
  );
}

/** Each call asks for another name, and a small record is the answer everywhere. */
function isRoundOfNames(alike: readonly ActingStep[]): boolean {
  return alike.every(({ fingerprint: { calls } }) => {
    const [call] = calls;
    return (
      call !== undefined &&
      call.words <= LONGEST_NAME &&
      call.outcome?.structured === true &&
      isBrief(call.outcome.similarity)
    );
  });
}

/** In words. */
const LONGEST_NAME = 3;

/** From this share of common words on, a call is a variation of another. */
const VARIATION = 0.75;

const isNear: Compare = (one, other) => similarity(one.similarity, other.similarity) >= VARIATION;
