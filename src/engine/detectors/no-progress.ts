import { defineDetector, type Sighting } from "../detector.ts";
import type { OutcomeFingerprint } from "../fingerprint.ts";
import { isBrief, nearlyEqual, similarity } from "../sketch.ts";
import { type ActingStep, toolsIn, toolsOf } from "../view.ts";

/** How far back equal answers are looked for. In acts. */
const REACH = 24;

/** The calls differ and the answer does not: the same informative text, or the same error that no other try can mend. */
export const noProgress = defineDetector({
  name: "no-progress",
  grades: { failing: "refining", empty: "refining", walk: "refining" },
  settings: {},
  detect({ act, acts }) {
    const answer = act === undefined ? undefined : answerOf(act);
    if (act === undefined || answer === undefined) return [];
    const grade = gradeOf(act, answer);
    if (grade === undefined) return [];
    const alike = sameAnswers(acts, act, answer, grade);
    const variants = new Set(alike.map((earlier) => earlier.fingerprint.callsHash));
    if (variants.size < 2 || alike.length < 3) return [];
    return [finding(act, answer, alike, grade === "informative" && isRound(alike) ? "walk" : grade)];
  },
});

/**
 * `failing`: an error that no other try can mend; `empty`: no answer to near-identical calls; `walk`: a few words at each of
 * several numbered places; `informative`: the rest.
 * Undefined where equal answers are to be expected: to changes and plans, and to failures that may pass.
 */
type Grade = "informative" | "failing" | "empty" | "walk";

function gradeOf(act: ActingStep, answer: OutcomeFingerprint): Grade | undefined {
  if (answer.cause !== undefined && answer.cause !== "transient") return "failing";
  if (answer.failed || act.fingerprint.calls.some((call) => ["write", "send", "plan"].includes(call.kind)))
    return undefined;
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
      if (out === undefined || !sameAnswer(out, answer) || !isVariation(earlier, found[0] ?? act, grade)) break;
      found.unshift(earlier);
    } else if (earlier.landed) break;
    if (earlier.userBefore) break;
  }
  return found;
}

function sameAnswer(a: OutcomeFingerprint, b: OutcomeFingerprint): boolean {
  if (b.cause !== undefined) return a.cause === b.cause;
  if (a.hash === b.hash) return true;
  return !a.failed && !a.structured && !b.structured && nearlyEqual(a.similarity, b.similarity);
}

/** Another way of asking for the same: an empty answer tells so little that the calls must be near-identical. */
function isVariation(earlier: ActingStep, act: ActingStep, grade: Grade): boolean {
  if (grade === "empty") return nearCall(earlier, act);
  return grade === "failing" || !isWalk(earlier, act);
}

/** Each call asks at another numbered place (a day, a row, an id), and a few words are the answer everywhere. */
function isRound(alike: readonly ActingStep[]): boolean {
  const places = new Set(alike.map(({ fingerprint }) => fingerprint.calls[0]?.numbers));
  return (
    places.size === alike.length &&
    alike.every(({ fingerprint }) => isBrief(fingerprint.calls[0]?.outcome?.similarity ?? ""))
  );
}

/** From one numbered place to another, with other numbers in the answer: a list is being walked. */
function isWalk(a: ActingStep, b: ActingStep): boolean {
  const [one, other] = [a.fingerprint.calls[0], b.fingerprint.calls[0]];
  return one?.numbers !== other?.numbers && one?.outcome?.numbers !== other?.outcome?.numbers;
}

/** From this share of common words on, a call is a variation of another. */
const VARIATION = 0.75;

function nearCall(a: ActingStep, b: ActingStep): boolean {
  const [one, other] = [a.fingerprint.calls[0], b.fingerprint.calls[0]];
  return one !== undefined && other !== undefined && similarity(one.similarity, other.similarity) >= VARIATION;
}
