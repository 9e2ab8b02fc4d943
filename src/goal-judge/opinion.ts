import type { Sign } from "../text/sign.ts";
import type { OpinionTerms } from "../policy/policy.ts";
import type { Conversation, Step } from "../step.ts";
import { excerpt, excerptOfArguments, type Prompt, QUOTED, quotation, section, toolName } from "./prompt.ts";

/** What a judge is asked about: whether the newest steps of a run go in circles. */
export interface OpinionQuestion {
  readonly conversation: Conversation;
  readonly task: string;
  /** What a rule has seen, in one sentence without any of the conversation's texts. */
  readonly seen: string;
  readonly terms: Pick<OpinionTerms, "excerpts" | "excerptChars">;
  readonly sign: Sign;
}

export function opinionPrompt(question: OpinionQuestion): Prompt {
  return {
    system: INSTRUCTION,
    text: opinionQuestion(question),
    answer: { name: "second_opinion", schema: answerSchema },
  };
}

const INSTRUCTION = [
  "You judge whether an agent goes in circles: whether its newest steps repeat what was done or said without coming nearer to what it was asked for.",
  "In talk, the same question, answer, excuse or farewell in other words is a circle, whatever the other side says to it; so are acts that undo each other.",
  "Work that repeats itself because the task asks for it (a list, pages, a drill or game, waiting for what still moves, checks after changes) is no circle.",
  QUOTED,
  "Answer with one JSON object and nothing else:",
  '- "reasons": in one sentence, why;',
  '- "looping": true if it goes in circles, false if it does not.',
].join("\n");

const answerSchema = {
  type: "object",
  properties: { reasons: { type: "string" }, looping: { type: "boolean" } },
  required: ["reasons", "looping"],
  additionalProperties: false,
};

const TASK_MAX = 2_000;
const ARGUMENTS_MAX = 300;
const SAID_MAX = 300;
const STEPS_MAX = 12;

function opinionQuestion({ conversation, task, seen, terms, sign }: OpinionQuestion): string {
  const { steps } = conversation;
  const shows = terms.excerpts === "redacted";
  const show = (text: string, max: number) => (shows ? excerpt(text, max) : `(text withheld, signature ${sign(text)})`);
  const showArgs = (args: string) => (shows ? excerptOfArguments(args, ARGUMENTS_MAX) : show(args, ARGUMENTS_MAX));
  const calls = ({ calls: all }: Step) =>
    all.slice(0, MOST_CALLS).map(({ tool, args, outcome }) => {
      const came = outcome === undefined ? "(no result)" : show(outcome.text, terms.excerptChars);
      return `- ${toolName(tool)} ${showArgs(args)}\n  -> ${came}`;
    });
  const step = (one: Step) => [
    ...(one.text === "" ? [] : [`agent: ${show(one.text, SAID_MAX)}`]),
    ...calls(one),
    ...one.heard.map((text) => `heard: ${show(text, SAID_MAX)}`),
  ];
  return [
    section("Task", show(task, TASK_MAX)),
    section(
      steps.length > STEPS_MAX ? `Newest ${STEPS_MAX} of ${steps.length} steps, oldest first` : "Steps, oldest first",
      steps.slice(-STEPS_MAX).flatMap(step).join("\n"),
    ),
    section("What a rule has noticed", quotation(seen)),
  ].join("");
}

/** Of one turn. */
const MOST_CALLS = 4;

/** The most of an answer that is read, from its end. In characters. */
const READ_MAX = 20_000;
const VERDICT = /"looping"\s{0,8}:\s{0,8}(true|false)\b/g;

/** What the answer says last; undefined for anything that does not say it. */
export function opinionIn(answer: string): boolean | undefined {
  const said = [...answer.slice(-READ_MAX).matchAll(VERDICT)].at(-1)?.[1];
  return said === undefined ? undefined : said === "true";
}
