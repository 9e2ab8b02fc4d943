import { inert, inertStep } from "./inert.ts";
import { type DetectorSettings, type Ending, type Finding, standardSettings } from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import { budgetKinds, type Limiting, limitOf, MILLIONTHS } from "../budget.ts";
import type { Language } from "./language.ts";
import { adviceOnAction, placesOfPlan, seenOfPlan, storyOf, type ToldPlan } from "./plan.ts";
import { type FallbackAction, type Falling, fallbackFor } from "./fallback.ts";
import { callsOf, indexOf, outcomeOf, toolsOf, waitOf } from "./quoted.ts";
import { filled, type OwnWords, type Places, type SentenceName, sentencesOf } from "./sentences.ts";
import { shorten } from "./shorten.ts";

export type { FallbackAction };
export { type Language, languageOf, languages, languageTold } from "./language.ts";
export { actedAlready, stopAtOnce } from "./preambles.ts";
export { type OwnWords, places, type SentenceName, sentenceNames, type Sentences } from "./sentences.ts";

/** All our notes begin with this, so that a guard, ours included, knows them for what they are. */
const TAG = "[unloop]";

const TASK_MAX = 2_000;

/** What a note is made from: the finding's facts, and the step it speaks about. */
export interface Told extends ToldPlan {
  readonly detector: Finding["detector"];
  readonly grade?: string;
  readonly count: number;
  readonly outcome?: Ending;
  /** The model was about to do it once more; the last of the count has not been done. */
  readonly foreseen?: true;
}

/** The part of a policy that words are made from. */
export interface Wording extends Limiting, Falling {
  readonly wording?: OwnWords;
  readonly detectors?: DetectorSettings;
}

/** Text of a nudge: what repeats, how often, what came back, and what else the model could do. */
export function nudgeNote(told: Told, step: Step, language: Language, policy: Wording = {}): string {
  const { detector } = told;
  const fallback = fallbackFor(step, policy);
  const own = fallback === undefined ? kindOf(told, step, policy).advice : "advice:fallback";
  const advice = detector === "goal-distance" ? adviceOnAction(told) : [own];
  const seen = seenOf(told, step, policy);
  return note(told, step, language, policy, [seen, ...cameOf(told, step), ...advice, "intended"]);
}

/** Text of a force-done: finish now, and how. */
export function forceDoneNote(
  told: Told,
  step: Step,
  task: string,
  tool: string | undefined,
  language: Language,
  policy: Wording = {},
): string {
  const how = tool === undefined ? "answer-now" : "call-now";
  const asked: readonly SentenceName[] = task === "" ? [] : ["task"];
  const values = { task: shorten(task, TASK_MAX), ...(tool === undefined ? {} : { doneTool: tool }) };
  const ends: readonly SentenceName[] = told.detector === "consecutive-failures" ? ["terminated"] : [];
  const seen = [seenOf(told, step, policy), ...storyOf(told), ...ends];
  const last = isMet(told) ? "success" : "include";
  return note(told, step, language, policy, [...seen, how, last, ...asked], values);
}

function seenOf(told: Told, step: Step, policy: Wording): SentenceName {
  return told.foreseen === true ? "seen:foreseen" : kindOf(told, step, policy).seen;
}

/**
 * Text of the guard's own final answer. Why the run ends here is told in headers, log and journal, and to a person too
 * unless the policy wants it brief. What a tool said is not quoted: it is not ours to pass on as an answer.
 */
export function finalText(told: Told, step: Step, language: Language, policy: Wording & FinalTextPolicy = {}): string {
  const shown = inertStep(step);
  return note(inertTold(told), shown, language, policy, finalSentences(told, shown, policy), {}, "");
}

/** How much a final answer says. */
interface FinalTextPolicy {
  readonly finalText?: "brief" | "reason" | "own-text";
}

/** Text of an error in the place of a final answer: for logs and developers, with the reason. */
export function refusalText(told: Told, step: Step, language: Language, policy: Wording = {}): string {
  return note(told, step, language, policy, finalSentences(told, step, { ...policy, finalText: "reason" }));
}

function finalSentences(told: Told, step: Step, policy: Wording & FinalTextPolicy): readonly SentenceName[] {
  const { seen } = kindOf(told, step, policy);
  if (told.detector === "budget") return ["stopped:budget", seen, "recover:budget"];
  if (isMet(told)) return [seen];
  // Who reads this is in the conversation: the reason is for headers, log and journal.
  if (told.outcome === "closed") return ["closed"];
  if (isTalk(told)) return ["stopped:talk"];
  const stopped = told.detector === "goal-distance" ? "stopped:plan" : "stopped";
  const reasons = policy.finalText === "brief" ? [] : [seen, ...storyOf(told)];
  return [stopped, ...reasons, "recover"];
}

/** Text of the guard's own answer to a run that an operator has ended. */
export function containedText(reason: string, language: Language, policy: Wording = {}): string {
  return [TAG, filled(sentencesOf(language, policy)["stopped:operator"], { reason })].join(" ");
}

/** What a tool or a judge has said reaches a person here whom no model stands before. */
function inertTold(told: Told): Told {
  const { said, tried, undone } = told;
  return {
    ...told,
    ...(said === undefined ? {} : { said: inert(said) }),
    ...(tried === undefined ? {} : { tried: tried.map(inertStep) }),
    ...(undone === undefined ? {} : { undone: undone.map(inertStep) }),
  };
}

/** Only words went to and fro. */
function isTalk({ detector, grade }: Told): boolean {
  return (
    detector === "polite-closure" ||
    (detector === "repeated-message" && ["similar", "heard", "exchange", "no-call"].includes(grade ?? ""))
  );
}

function isMet({ detector, grade }: Told): boolean {
  return detector === "goal-distance" && grade === "met";
}

/** The final answer of a run that is to end with its own words, and has none. */
export function nothingNew(language: Language, policy: Wording = {}): string {
  return sentencesOf(language, policy)["nothing-new"];
}

function note(
  told: Told,
  step: Step,
  language: Language,
  policy: Wording,
  names: readonly SentenceName[],
  more: Places = {},
  tag = TAG,
): string {
  const sentences = sentencesOf(language, policy);
  const values: Places = {
    ...amountsOf(told, policy),
    calls: callsOf([step], sentences.and),
    tool: toolsOf(step, sentences.and),
    index: indexOf(step) ?? "",
    outcome: outcomeOf(step) ?? "",
    ...waitOf(step),
    fallback: fallbackFor(step, policy) ?? "",
    ...(told.detector === "goal-distance" && placesOfPlan(told, sentences.and)),
    ...more,
  };
  const said = names.map((name) => filled(sentences[name], values)).filter((sentence) => sentence !== "");
  return [tag, ...said].filter((part) => part !== "").join(" ");
}

/** The count in the unit that a reader expects. */
function amountsOf({ detector, grade, count, course }: Told, policy: Wording): Places {
  if (course?.times !== undefined) return { count: course.times };
  const kind = budgetKinds.find((one) => detector === "budget" && one === grade);
  const seconds = policy.detectors?.["retry-storm"]?.seconds ?? standardSettings["retry-storm"].seconds;
  if (kind === undefined) return { count, seconds };
  const unit = kind === "cost" ? MILLIONTHS : 1;
  return { count: count / unit, limit: (limitOf(policy, kind) ?? count) / unit };
}

interface Kind {
  readonly seen: SentenceName & `seen:${string}`;
  readonly advice: SentenceName & `advice:${string}`;
}

function kindOf(told: Told, step: Step, policy: Wording): Kind {
  switch (told.detector) {
    case "repeated-call":
      if (told.grade === "failing") return { seen: "seen:failure", advice: "advice:failure" };
      return { seen: sameCall(step, policy), advice: "advice:call" };
    case "call-cycle":
      if (told.grade === "failing") return { seen: "seen:failure", advice: "advice:failure" };
      return { seen: "seen:cycle", advice: "advice:cycle" };
    case "no-progress":
      return { seen: "seen:answer", advice: "advice:answer" };
    case "consecutive-failures":
      return { seen: told.grade === "any" ? "seen:failures" : "seen:failure", advice: "advice:failure" };
    case "unchanged-poll":
      return { seen: "seen:poll", advice: waitOf(step) === undefined ? "advice:poll" : "advice:poll-longer" };
    case "low-novelty":
      return { seen: "seen:novelty", advice: "advice:novelty" };
    case "storm":
      if (told.grade === "compactions") return { seen: "seen:compactions", advice: "advice:compactions" };
      return { seen: "seen:agents", advice: "advice:agents" };
    case "repeated-message":
      return kindOfMessage(told.grade);
    case "polite-closure":
      return { seen: "seen:closure", advice: "advice:closure" };
    case "retry-storm":
      return { seen: "seen:retries", advice: "advice:retries" };
    case "budget":
      return { seen: seenOfBudget(told.grade), advice: "advice:steps" };
    case "goal-distance":
      return { seen: seenOfPlan(told), advice: "advice:options" };
  }
}

function seenOfBudget(grade: string | undefined): Kind["seen"] {
  const kind = budgetKinds.find((one) => one === grade);
  return `seen:${kind ?? "steps"}`;
}

/** Sentence for a repeated call; where outcomes are not compared, it does not mention them. */
function sameCall(step: Step, { detectors }: Wording): Kind["seen"] {
  const compared = detectors?.["repeated-call"]?.outcome;
  const index = indexOf(step);
  if (compared === "any-on-target") return index === undefined ? "seen:call" : "seen:index";
  if (compared !== "any") return "seen:call";
  return index === undefined ? "seen:any-call" : "seen:index";
}

function kindOfMessage(grade: string | undefined): Kind {
  switch (grade) {
    case "similar":
      return { seen: "seen:similar", advice: "advice:message" };
    case "heard":
    case "corrected":
      return { seen: "seen:heard", advice: "advice:message" };
    case "exchange":
      return { seen: "seen:exchange", advice: "advice:closure" };
    case "explanation":
      return { seen: "seen:explanation", advice: "advice:call" };
    case "no-call":
      return { seen: "seen:no-call", advice: "advice:message" };
    default:
      return { seen: "seen:message", advice: "advice:message" };
  }
}

/** Sentence about the outcome; none where nothing came back, or the finding is not about calls. */
function cameOf({ detector }: Told, step: Step): readonly SentenceName[] {
  const isOfCalls = !["budget", "retry-storm", "storm"].includes(detector);
  return isOfCalls && outcomeOf(step) !== undefined ? ["came"] : [];
}
