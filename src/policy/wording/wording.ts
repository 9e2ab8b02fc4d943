import {
  type Ending,
  type Finding,
  type PlanProgress,
  saidOf,
  standardDetectorSettings,
  type Subject,
  subjectOf,
} from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import { budgetKinds, budgetLimitOf } from "../budget.ts";
import { MILLIONTHS, type Policy } from "../schema.ts";
import { type Language, languageOf } from "./language.ts";
import {
  type Cleaning,
  forModel,
  forPerson,
  indexOf,
  longerWait,
  ownWords,
  type Quotation,
  quoted,
  quotedCalls,
  quotedName,
  quotedOutcome,
  quotedResults,
  quotedTools,
  shorten,
} from "./quoted.ts";
import { filled, type Places, type SentenceName, type Sentences, sentencesOf } from "./sentences.ts";

export { type Language, languageOf, languages, languageTold } from "./language.ts";
export { places, sentenceNames, standardSentences, tellsEnding } from "./sentences.ts";

/** All our notes begin with this, so that a guard, ours included, knows them for what they are. */
const TAG = "[unloop]";

const TASK_MAX = 2_000;
const REASON_MAX = 500;
const SAID_MAX = 300;
const ACTIONS_MAX = 6;
const NONE = ownWords("–");
/** The policy's names for what ends a plan at a number. */
const PLAN_LIMITS: Readonly<Record<string, string>> = {
  state: "same state",
  falls: "falling score",
  steps: "maxSteps",
};

/** What a note is made from: the finding's facts, and the step it speaks about. */
export interface NoteFacts {
  readonly detector: Finding["detector"];
  readonly grade?: string;
  readonly count: number;
  readonly outcome?: Ending;
  /** The model was about to do it once more; the last of the count has not been done. */
  readonly foreseen?: true;
  /** The note stands right behind the step's outcome, which needs no quotation then. */
  readonly isBehindOutcome?: boolean;
  readonly course?: PlanProgress;
  /** What the judge said to a plan, where that is still known: the option to try, or its reasons. */
  readonly judgeText?: string | undefined;
  /** What the agent is told of the form of its last answer, where its form is not any text. */
  readonly form?: string | undefined;
  /** The run so far, for an end that lists its results. */
  readonly steps?: readonly Step[];
  /** The names of the tools that the request offers; undefined where there is no request. */
  readonly offered?: ReadonlySet<string>;
  readonly tried?: readonly Step[];
  readonly undone?: readonly Step[];
}

type Wording = Partial<
  Pick<Policy, "budget" | "ladders" | "detectors" | "wording" | "finalText" | "endTells" | "tools">
>;

type Telling = readonly [
  seen: `seen:${string}` & SentenceName,
  advice: `advice:${string}` & SentenceName,
  ...subjects: readonly Subject[],
];

/** What is said of each subject: what was seen, and what to do about it. */
const rows: readonly Telling[] = [
  ["seen:call", "advice:call", "call"],
  ["seen:failure", "advice:failure", "failing-call", "alike-failures", "failures"],
  ["seen:cycle", "advice:call", "cycle"],
  ["seen:known", "advice:call", "answer", "novelty"],
  ["seen:poll", "advice:poll", "poll"],
  ["seen:circles", "advice:call", "circles"],
  ["seen:circles", "advice:act", "circles-of-talk", "compactions"],
  ["seen:said", "advice:act", "message", "similar-message", "message-without-call", "heard"],
  ["seen:said", "advice:act", "exchange", "farewell"],
  ["seen:said", "advice:call", "explanation"],
  ["seen:agents", "advice:act", "agents"],
  ["seen:retries", "advice:call", "arrivals"],
  ["seen:budget", "advice:act", ...budgetKinds],
  ["seen:plan", "advice:call", "plan"],
];
const tellings = Object.fromEntries(
  rows.flatMap(([seen, advice, ...subjects]) => subjects.map((subject) => [subject, { seen, advice }])),
) as Readonly<Record<Subject, { readonly seen: Telling[0]; readonly advice: Telling[1] }>>;

const OF_TALK: ReadonlySet<Subject> = new Set([
  ...(["circles-of-talk", "similar-message", "message-without-call", "heard", "exchange", "farewell"] as const),
]);

/** Not about one step, whose outcome could be quoted. */
const OF_RUN: ReadonlySet<Subject> = new Set(["agents", "compactions", "arrivals", ...budgetKinds]);

export function nudgeNote(facts: NoteFacts, step: Step, language: Language, policy: Wording = {}): string {
  const sentences = sentencesOf(language, policy);
  const isOfStep = !OF_RUN.has(subjectOf(facts)) && facts.isBehindOutcome !== true;
  const isQuoted = isOfStep && quotedOutcome(step, forModel) !== undefined;
  const next = nextFor(facts, step, policy);
  const text = [
    seenIn(facts, step, sentences),
    isQuoted ? sentences.came : "",
    ...adviceOn(facts, next, sentences),
    sentences.intended,
  ];
  return note(facts, step, policy, text, next === undefined ? {} : { next });
}

export function forceDoneNote(
  facts: NoteFacts,
  step: Step,
  task: string,
  tool: string | undefined,
  language: Language,
  policy: Wording = {},
): string {
  const sentences = sentencesOf(language, policy);
  const results = quotedResults(facts.steps ?? [], forModel);
  const text = [
    seenIn(facts, step, sentences),
    tool === undefined ? sentences["answer-now"] : sentences["call-now"],
    task === "" ? "" : sentences.task,
  ];
  const more = {
    task: quoted(task, TASK_MAX, forModel),
    ...(tool !== undefined && { doneTool: quotedName(tool, { clean: forModel, offered: facts.offered }) }),
  };
  const came = results === "" ? [] : [filled(sentences.came, { outcome: results })];
  // What stands last is what a small model goes by.
  return [note(facts, step, policy, text, more), ...(facts.form === undefined ? [] : ["", facts.form]), ...came].join(
    "\n",
  );
}

interface LastWords {
  readonly system?: string;
  /** What the model keeps answering, where that is no end in its form. */
  readonly answer?: () => string | undefined;
}

/** The stop signal, the turn's or the model's words where the policy prefers that, else why the run ends; and what it had found, quoted. */
export function finalText(
  facts: NoteFacts,
  step: Step,
  language: Language,
  policy: Wording & Pick<Policy, "stopSignal"> = {},
  { system = "", answer = () => undefined }: LastWords = {},
): string {
  if (mentionsStop(policy, system)) return policy.stopSignal ?? "";
  const prefers = policy.finalText ?? "brief";
  const said = prefers === "own-text" ? step.text.trim() : prefers === "brief" ? answer() : undefined;
  if (said) return said;
  const sentences = sentencesOf(language, policy);
  const { text, isCut } = finalSentences(facts, step, sentences, policy.finalText);
  const results = isCut && policy.endTells !== "nothing" ? quotedResults(facts.steps ?? [], forPerson) : undefined;
  const whole = results ? [...text, sentences.came] : text;
  return note(facts, step, policy, whole, results ? { outcome: results } : {}, { tag: "", clean: forPerson });
}

/** Text of an error in the place of a final answer: for logs and developers, with the reason. */
export function refusalText(facts: NoteFacts, step: Step, language: Language, policy: Wording = {}): string {
  return note(facts, step, policy, finalSentences(facts, step, sentencesOf(language, policy)).text);
}

/** What is said at the end of a run: that its budget is used up, what its judge said, a farewell, or that it went in circles. */
function finalSentences(
  { foreseen: _, ...facts }: NoteFacts,
  step: Step,
  sentences: Sentences,
  finalText: Wording["finalText"] = "reason",
): { readonly text: readonly string[]; readonly isCut: boolean } {
  const seen = seenIn(facts, step, sentences);
  if (limitIn(facts) !== undefined) return { text: [sentences["stopped:budget"], seen], isCut: true };
  if (facts.outcome === "met" || isGivenUp(facts)) return { text: [seen], isCut: false };
  // Who reads this is in the conversation: the reason is for headers, log and journal.
  if (facts.outcome === "closed" || OF_TALK.has(subjectOf(facts)))
    return { text: [sentences["stopped:talk"]], isCut: false };
  return { text: finalText === "reason" ? [sentences.stopped, seen] : [sentences.stopped], isCut: true };
}

/** Text of the guard's own answer to a run that an operator has ended. The reason is a quotation: an agent reads it as its model's. */
export function containedText(reason: string, language: Language, policy: Wording = {}): string {
  const quotation = quoted(reason, REASON_MAX, forPerson);
  return `${TAG} ${filled(sentencesOf(language, policy)["stopped:operator"], { reason: quotation })}`;
}

function note(
  facts: NoteFacts,
  step: Step,
  policy: Wording,
  sentences: readonly string[],
  more: Places = {},
  { tag, clean }: { readonly tag: string; readonly clean: Cleaning } = { tag: TAG, clean: forModel },
): string {
  const values: Places = { ...placesOf(facts, step, policy, clean), ...more };
  const parts = [tag, ...sentences.map((sentence) => filled(sentence, values))].filter((part) => part !== "");
  // Where sentences end with a wide stop, none is followed by a blank.
  return parts.reduce((text, part) => `${text}${text.endsWith("。") ? "" : " "}${part}`);
}

function seenIn(facts: NoteFacts, step: Step, sentences: Sentences): string {
  if (facts.foreseen === true) return sentences["seen:foreseen"];
  if (facts.outcome === "met") return sentences["seen:met"];
  if (isGivenUp(facts)) return sentences["seen:given-up"];
  const subject = subjectOf(facts);
  const ofIndex = subject === "call" && indexOf(step, forModel) !== undefined ? sentences["seen:index"] : undefined;
  return ofIndex ?? sentences[tellings[subject].seen] ?? "";
}

/** What to do about it: undo an action of a plan, the one next thing that is known, or something else in general. */
function adviceOn(facts: NoteFacts, next: string | undefined, sentences: Sentences): readonly string[] {
  const general = sentences[tellings[subjectOf(facts)].advice] ?? "";
  if (isOfPlan(facts) && facts.grade === "revert") return [sentences["advice:undo"], general];
  return [next === undefined ? general : sentences["advice:next"]];
}

/** The one thing to do next, where it is known: the judge's option for a plan, else a policy's fallback. */
function nextFor(facts: NoteFacts, step: Step, { tools = {} }: Wording): Quotation | undefined {
  const { judgeText } = facts;
  if (isOfPlan(facts)) return judgeText === undefined ? undefined : quoted(judgeText, SAID_MAX, forModel);
  const terms = step.calls.flatMap(({ tool }) => saidOf(tools, tool));
  const fallback = terms.find((one) => one.fallback !== undefined)?.fallback;
  if (fallback === undefined) return undefined;
  const isText = typeof fallback === "string";
  const said = isText ? fallback.replace(/[.。]$/, "") : `${fallback.tool}(${JSON.stringify(fallback.args ?? {})})`;
  return ownWords(shorten(said, REASON_MAX));
}

/** What a sentence about a finding may be filled with. */
function placesOf(facts: NoteFacts, step: Step, policy: Wording, clean: Cleaning): Places {
  const { judgeText, offered, tried = [], undone = [], count, course } = facts;
  const { before = ownWords("?"), after = ownWords("?"), why = "", times } = course ?? {};
  const { seconds } = { ...standardDetectorSettings["retry-storm"], ...policy.detectors?.["retry-storm"] };
  const naming = { clean, offered };
  const limited = limitIn(facts);
  const each = limited === "cost" ? MILLIONTHS : 1;
  return {
    ...(limited === undefined
      ? { count: times ?? count }
      : { count: count / each, limit: (budgetLimitOf(policy, limited) ?? count) / each, unit: ownWords(limited) }),
    ...{ seconds, before, after },
    why: ownWords(PLAN_LIMITS[why] === undefined ? why : `${PLAN_LIMITS[why]}: ${times}`),
    calls: quotedCalls([step], naming),
    tool: quotedTools(step, naming),
    index: indexOf(step, clean) ?? ownWords(""),
    outcome: quotedOutcome(step, clean) ?? ownWords(""),
    wait: longerWait(step, clean),
    tried: quotedCalls(tried, naming, ACTIONS_MAX) || NONE,
    undone: quotedCalls(undone, naming, ACTIONS_MAX) || NONE,
    reason: judgeText === undefined ? NONE : quoted(judgeText, SAID_MAX, clean),
  };
}

const limitIn = (facts: NoteFacts) => budgetKinds.find((kind) => kind === subjectOf(facts));
const isOfPlan = (facts: NoteFacts): boolean => subjectOf(facts) === "plan";
const isGivenUp = (facts: NoteFacts): boolean => isOfPlan(facts) && facts.grade === "cancel";

interface Speaking {
  readonly policy: Policy;
  readonly system: string;
  readonly language: Language;
}

/** Preamble to add to the system prompt; undefined if there is none, or it is there already. */
export function preambleFor({ policy, system, language }: Speaking): string | undefined {
  const { preamble, stopSignal = "" } = policy;
  if (preamble === undefined || (preamble.when === "stop-signal" && !mentionsStop(policy, system))) return undefined;
  const { text } = preamble;
  // Who was told of a signal was told in the language of its own instructions, whatever language it is greeted in.
  const own = preamble.when === "stop-signal" ? languageOf(system) : language;
  const template = typeof text === "string" ? text : (text[own] ?? text.en ?? Object.values(text)[0] ?? "");
  const preambleText = template.replaceAll("{signal}", () => stopSignal);
  return preambleText === "" || system.includes(preambleText) ? undefined : preambleText;
}

function mentionsStop({ stopSignal }: Pick<Policy, "stopSignal">, system: string): boolean {
  return stopSignal !== undefined && stopSignal !== "" && system.includes(stopSignal);
}
