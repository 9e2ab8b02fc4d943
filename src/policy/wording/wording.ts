import {
  type DetectorSettings,
  type Ending,
  type Finding,
  standardDetectorSettings,
  subjectOf,
} from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import { budgetKinds, type Limiting, budgetLimitOf, MILLIONTHS } from "../budget.ts";
import { type Cleaning, forModel, forPerson } from "./clean.ts";
import type { Language } from "./language.ts";
import { adviceOnAction, placesOfPlan, seenOfPlan, storyOf, type PlanFacts } from "./plan.ts";
import { type FallbackAction, type Falling, fallbackFor } from "./fallback.ts";
import { quotedCalls, indexOf, quotedOutcome, quoted, quotedTools, waitOf } from "./quoted.ts";
import { filled, type OwnWords, type Places, type SentenceName, sentencesOf } from "./sentences.ts";
import { type NoteTemplate, tellings } from "./templates.ts";

export type { FallbackAction };
export { type Language, languageOf, languages, languageTold } from "./language.ts";
export { actedAlready, stopAtOnce } from "./preambles.ts";
export { type OwnWords, places, type SentenceName, sentenceNames, type Sentences } from "./sentences.ts";

/** All our notes begin with this, so that a guard, ours included, knows them for what they are. */
const TAG = "[unloop]";

const TASK_MAX = 2_000;
const REASON_MAX = 500;

/** What a note is made from: the finding's facts, and the step it speaks about. */
export interface NoteFacts extends PlanFacts {
  readonly detector: Finding["detector"];
  readonly grade?: string;
  readonly count: number;
  readonly outcome?: Ending;
  /** The model was about to do it once more; the last of the count has not been done. */
  readonly foreseen?: true;
  /** The note stands right behind the step's outcome, which needs no quotation then. */
  readonly isBehindOutcome?: boolean;
}

/** The part of a policy that words are made from. */
export interface Wording extends Limiting, Falling {
  readonly wording?: OwnWords;
  readonly detectors?: DetectorSettings;
}

/** Text of a nudge: what repeats, how often, what came back, and what else the model could do. */
export function nudgeNote(facts: NoteFacts, step: Step, language: Language, policy: Wording = {}): string {
  const template = templateOf(facts, step, policy);
  const fallback = fallbackFor(step, policy);
  const own = fallback === undefined ? template.advice : "advice:fallback";
  const advice = isOfPlan(facts) ? adviceOnAction(facts) : [own];
  return note(facts, step, language, policy, [
    seenOf(facts, template),
    ...(facts.isBehindOutcome === true ? [] : cameOf(template, step)),
    ...advice,
    "intended",
  ]);
}

/** Text of a force-done: finish now, and how. */
export function forceDoneNote(
  facts: NoteFacts,
  step: Step,
  task: string,
  tool: string | undefined,
  language: Language,
  policy: Wording = {},
): string {
  const how = tool === undefined ? "answer-now" : "call-now";
  const sentences: readonly SentenceName[] = task === "" ? [] : ["task"];
  const values = { task: quoted(task, TASK_MAX, forModel), ...(tool === undefined ? {} : { doneTool: tool }) };
  const template = templateOf(facts, step, policy);
  const ends: readonly SentenceName[] = template.endsFirst ? ["terminated"] : [];
  const seen = [seenOf(facts, template), ...storyOf(facts), ...ends];
  const given: readonly SentenceName[] = facts.grade === "cancel" ? ["cancelled", "include"] : ["include"];
  const last: readonly SentenceName[] = isMet(facts) ? ["success"] : given;
  return note(facts, step, language, policy, [...seen, how, ...last, ...sentences], values);
}

function seenOf({ foreseen }: NoteFacts, { seen }: NoteTemplate): SentenceName {
  return foreseen === true ? "seen:foreseen" : seen;
}

/**
 * Text of the guard's own final answer. Why the run ends here is told in headers, log and journal, and to a person too
 * unless the policy wants it brief. What a tool said is not quoted: it is not ours to pass on as an answer.
 */
export function finalText(
  facts: NoteFacts,
  step: Step,
  language: Language,
  policy: Wording & FinalTextPolicy = {},
): string {
  const names = finalSentences(facts, step, policy);
  return note(facts, step, language, policy, names, {}, { tag: "", clean: forPerson });
}

/** How much a final answer says. */
interface FinalTextPolicy {
  readonly finalText?: "brief" | "reason" | "own-text";
}

/** Text of an error in the place of a final answer: for logs and developers, with the reason. */
export function refusalText(facts: NoteFacts, step: Step, language: Language, policy: Wording = {}): string {
  return note(facts, step, language, policy, finalSentences(facts, step, { ...policy, finalText: "reason" }));
}

function finalSentences(facts: NoteFacts, step: Step, policy: Wording & FinalTextPolicy): readonly SentenceName[] {
  const { seen, isTalk } = templateOf(facts, step, policy);
  if (limitFacts(facts) !== undefined) return ["stopped:budget", seen, "recover:budget"];
  if (isMet(facts)) return [seen];
  // Who reads this is in the conversation: the reason is for headers, log and journal.
  if (facts.outcome === "closed") return ["closed"];
  if (isTalk) return ["stopped:talk"];
  const stopped = isOfPlan(facts) ? "stopped:plan" : "stopped";
  const reasons = policy.finalText === "brief" ? [] : [seen, ...storyOf(facts)];
  return [stopped, ...reasons, "recover"];
}

/** Text of the guard's own answer to a run that an operator has ended. The reason is a quotation: an agent reads it as its model's. */
export function containedText(reason: string, language: Language, policy: Wording = {}): string {
  return [
    TAG,
    filled(sentencesOf(language, policy)["stopped:operator"], { reason: quoted(reason, REASON_MAX, forPerson) }),
  ].join(" ");
}

/** The final answer of a run that is to end with its own words, and has none. */
export function nothingNew(language: Language, policy: Wording = {}): string {
  return sentencesOf(language, policy)["nothing-new"];
}

function note(
  facts: NoteFacts,
  step: Step,
  language: Language,
  policy: Wording,
  names: readonly SentenceName[],
  more: Places = {},
  { tag, clean }: { readonly tag: string; readonly clean: Cleaning } = { tag: TAG, clean: forModel },
): string {
  const sentences = sentencesOf(language, policy);
  const values: Places = {
    ...amountsOf(facts, policy),
    fallback: fallbackFor(step, policy) ?? "",
    ...quotationsOf(facts, step, sentences.and, clean),
    ...more,
  };
  const sentenceTexts = names.map((name) => filled(sentences[name], values)).filter((sentence) => sentence !== "");
  return [tag, ...sentenceTexts].filter((part) => part !== "").join(" ");
}

/** What others have said, each a quotation. */
function quotationsOf(facts: NoteFacts, step: Step, and: string, clean: Cleaning): Places {
  return {
    calls: quotedCalls([step], and, clean),
    tool: quotedTools(step, and, clean),
    index: indexOf(step, clean) ?? "",
    outcome: quotedOutcome(step, clean) ?? "",
    ...waitOf(step, clean),
    ...(isOfPlan(facts) && placesOfPlan(facts, and, clean)),
  };
}

/** The count in the unit that a reader expects. */
function amountsOf(facts: NoteFacts, policy: Wording): Places {
  const { count, course } = facts;
  if (course?.times !== undefined) return { count: course.times };
  const kind = limitFacts(facts);
  const seconds = policy.detectors?.["retry-storm"]?.seconds ?? standardDetectorSettings["retry-storm"].seconds;
  if (kind === undefined) return { count, seconds };
  const unit = kind === "cost" ? MILLIONTHS : 1;
  return { count: count / unit, limit: (budgetLimitOf(policy, kind) ?? count) / unit };
}

/** What is said of a finding, as its subject has it and the step that it speaks about. */
function templateOf(facts: NoteFacts, step: Step, policy: Wording): NoteTemplate {
  const subject = subjectOf(facts);
  const template = tellings[subject];
  switch (subject) {
    case "call":
      return { ...template, seen: sameCall(facts, step, policy) };
    case "poll":
      return waitOf(step, forModel) === undefined ? template : { ...template, advice: "advice:poll-longer" };
    case "plan":
      return { ...template, seen: seenOfPlan(facts) };
    default:
      return template;
  }
}

/** Sentence for a repeated call; where outcomes are not compared, it does not mention them. */
function sameCall({ detector }: NoteFacts, step: Step, { detectors = {} }: Wording): NoteTemplate["seen"] {
  const settings = (detectors as Readonly<Record<string, object | undefined>>)[detector] ?? {};
  const compared = "outcome" in settings ? settings.outcome : undefined;
  const index = indexOf(step, forModel);
  if (compared === "any-on-target") return index === undefined ? "seen:call" : "seen:index";
  if (compared !== "any") return "seen:call";
  return index === undefined ? "seen:any-call" : "seen:index";
}

/** Which limit of a session it is about, if any. */
function limitFacts(facts: NoteFacts) {
  return budgetKinds.find((kind) => kind === subjectOf(facts));
}

function isOfPlan(facts: NoteFacts): boolean {
  return subjectOf(facts) === "plan";
}

function isMet({ outcome }: NoteFacts): boolean {
  return outcome === "met";
}

/** Sentence about the outcome; none where nothing came back, or the finding is not about a step. */
function cameOf(template: NoteTemplate, step: Step): readonly SentenceName[] {
  return template.isOfStep && quotedOutcome(step, forModel) !== undefined ? ["came"] : [];
}
