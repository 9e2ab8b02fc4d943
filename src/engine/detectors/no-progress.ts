import { defineDetector, type Sighting } from "../detector.ts";
import type { CallFingerprint } from "../call-fingerprint.ts";
import type { OutcomeFingerprint } from "../outcome-fingerprint.ts";
import { unmovedChecks } from "./unmoved.ts";
import { isNextPlace, isSameAnswer } from "../same-result.ts";
import { isBrief, similarity } from "../sketch.ts";
import { type ActingStep, toolsIn, toolsOf, worksThroughList } from "../view.ts";

/** How far back equal answers are looked for. In acts. */
const REACH = 24;

/** No progress: the calls differ and the answer does not. The same informative text, or the same error that no other try can mend. */
export const noProgress = defineDetector({
  name: "no-progress",
  grades: { failing: "refining", empty: "refining", walk: "refining", unmoved: "refining" },
  tells: "answer",
  settings: {},
  detect({ act, acts }) {
    const answer = act === undefined ? undefined : answerOf(act);
    if (act === undefined || answer === undefined) return [];
    return [...othersWithSameAnswer(acts, act, answer), ...unmoved(acts, act)];
  },
});

function othersWithSameAnswer(
  acts: readonly ActingStep[],
  act: ActingStep,
  answer: OutcomeFingerprint,
): readonly Sighting[] {
  const grade = gradeOf(act, answer);
  if (grade === undefined) return [];
  const alike = sameAnswers(acts, act, answer, grade);
  const variants = new Set(alike.map((earlier) => earlier.fingerprint.callsHash));
  if (variants.size < 2 || alike.length < 3 || worksThroughList(alike)) return [];
  return [
    finding(act, answer, alike, grade === "informative" && (isRound(alike) || isRoundOfNames(alike)) ? "walk" : grade),
  ];
}

/** Something was changed each time, and the same check says the same. */
function unmoved(acts: readonly ActingStep[], act: ActingStep): readonly Sighting[] {
  const checks = unmovedChecks(acts, act);
  if (checks.length < 3) return [];
  return [
    {
      grade: "unmoved",
      loop: `no-progress:unmoved:${act.fingerprint.callsHash}`,
      count: checks.length,
      evidence: checks.map((check) => check.at),
      tools: toolsIn([act]),
      note: `${toolsOf(act.fingerprint)}: the same complaint after each of ${checks.length - 1} changes`,
    },
  ];
}

/**
 * `failing`: an error that no other try can mend; `empty`: no answer to near-identical calls; `walk`: a few words at each of
 * several numbered places; `informative`: the rest.
 * Undefined where equal answers are to be expected: to changes and plans, and to failures that may pass.
 */
type Grade = "informative" | "failing" | "empty" | "walk";

function gradeOf(act: ActingStep, answer: OutcomeFingerprint): Grade | undefined {
  if (answer.cause !== undefined && answer.cause !== "transient") return "failing";
  if (answer.failed || (act.polls && answer.pending)) return undefined;
  if (act.fingerprint.calls.some((call) => ["write", "send", "plan"].includes(call.kind))) return undefined;
  if (answer.weight === "informative") return "informative";
  return answer.weight === "nothing" ? "empty" : undefined;
}

function finding(act: ActingStep, answer: OutcomeFingerprint, alike: readonly ActingStep[], grade: Grade): Sighting {
  const tool = toolsOf(act.fingerprint);
  return {
    ...(grade === "informative" ? {} : { grade }),
    loop: `no-progress:${tool}:${answer.cause ?? alike[0]?.fingerprint.outcomesHash}`,
    count: alike.length,
    evidence: alike.map((earlier) => earlier.at),
    tools: toolsIn([act]),
    note: `${tool}: different calls, the same answer, ${alike.length} times`,
  };
}

/** Only turns with one call: an answer must be the answer to something. */
function answerOf(act: ActingStep): OutcomeFingerprint | undefined {
  return act.fingerprint.calls.length === 1 ? act.fingerprint.calls[0]?.outcome : undefined;
}

/** Back to where the same tool answered something else, a change landed, or a user spoke. */
function sameAnswers(
  acts: readonly ActingStep[],
  act: ActingStep,
  answer: OutcomeFingerprint,
  grade: Grade,
): readonly ActingStep[] {
  const found: ActingStep[] = [];
  for (const earlier of acts.slice(-REACH).reverse()) {
    const out = answerOf(earlier);
    if (toolsOf(earlier.fingerprint) === toolsOf(act.fingerprint) || answer.cause === "unknown-tool") {
      if (out === undefined || !sameAnswer(earlier, act, answer) || !isVariation(earlier, found[0] ?? act, grade))
        break;
      found.unshift(earlier);
    } else if (isBarredAlike(earlier, act, answer)) found.unshift(earlier);
    else if (earlier.landed) break;
    if (earlier.userBefore) break;
  }
  return found;
}

/** By another tool, and for want of the same rights, in the same words. */
function isBarredAlike(earlier: ActingStep, act: ActingStep, { cause }: OutcomeFingerprint): boolean {
  if (cause !== "auth" && cause !== "denied") return false;
  return answerOf(earlier)?.cause === cause && haveBoth(earlier, act, isSameAnswer);
}

function sameAnswer(earlier: ActingStep, act: ActingStep, answer: OutcomeFingerprint): boolean {
  if (answer.cause !== undefined) return answerOf(earlier)?.cause === answer.cause;
  return haveBoth(earlier, act, isSameAnswer);
}

type Compare = (a: CallFingerprint, b: CallFingerprint) => boolean;

function haveBoth({ fingerprint: a }: ActingStep, { fingerprint: b }: ActingStep, compare: Compare): boolean {
  const [one, other] = [a.calls[0], b.calls[0]];
  return one !== undefined && other !== undefined && compare(one, other);
}

/** Another way of asking for the same: an empty answer tells so little that the calls must be near-identical. */
function isVariation(earlier: ActingStep, act: ActingStep, grade: Grade): boolean {
  if (grade === "empty") return haveBoth(earlier, act, isNear);
  return grade === "failing" || !haveBoth(earlier, act, isNextPlace);
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
