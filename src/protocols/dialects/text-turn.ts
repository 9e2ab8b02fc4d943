import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import { callingTools, code, markedCalls, markupCalls, nameWithInput, writtenCalls } from "./blocks.ts";
import { type Dialect, lastActionIn, type Message, type TextActions, type TextOrigin } from "./dialect.ts";
import { FINAL_ANSWER, jsonActions } from "./json-actions.ts";
import { cutBy } from "./sections.ts";

type LabelKind = "action" | "input" | "observation" | "final" | "other";

const LABELS: readonly (readonly [kind: LabelKind, label: RegExp])[] = [
  ["input", /^(?:(?:action|tool|function) )?(?:inputs?|arg(?:ument)?s|param(?:eter)?s)$/],
  ["final", /^(?:answer|final (?:answer|response|output|result))$/],
  ["observation", /^(?:(?:action|tool|function) )?(?:output|result|response|observation)$/],
  ["action", /^(?:actions?|(?:tool|function)(?: (?:name|call|used))?)$/],
  ["other", /^(?:thought|reasoning|question|plan)$/],
];
/** Prose has the others, too: there they count only where their neighbours bear them out. */
const STRONG = /^(?:actions?(?: (?:input|arg|param)\w*)?|observation|final answer|thought)$/;

/** Perhaps numbered or in bold; or a name between marks of its own: `[[ ## next_tool_name ## ]]` (DSPy). */
const LABEL =
  /^[ \t]{0,8}(?:[*#]{1,3}[ \t]?)?([a-z]{4,11}(?:[ \t_]{1,2}(?:\d{1,4}[ \t]{1,2})?[a-z]{4,10})?)[ \t]{0,2}\d{0,4}[ \t]{0,2}(?:\*{1,2})?:[ \t]{0,2}\*{0,2}|\[\[ ## (?:next_)?([a-z_]{1,64}?)(?:_\d{1,4})? ## \]\]/gim;

const LABEL_WORK = 224;

export function sectionsOf(text: string, work: Work) {
  const heads: { mark: RegExpExecArray; kind: LabelKind; label: string; isWeak: boolean }[] = [];
  for (const mark of text.matchAll(LABEL)) {
    if (!work.spend(LABEL_WORK)) return [];
    const [, word = "", name] = mark;
    const label = (name ?? word).toLowerCase().replace(/[ \t_]+(?:\d+[ \t_]+)?/, " ");
    const kind = LABELS.find(([, known]) => known.test(label))?.[0] ?? (name === undefined ? undefined : "other");
    const isWeak = name === undefined && !STRONG.test(label);
    if (kind !== undefined && (!isWeak || follows(kind, heads.at(-1)?.kind))) heads.push({ kind, label, isWeak, mark });
  }
  const borneOut = heads.filter(
    ({ kind, isWeak }, at) => !isWeak || kind !== "action" || /input|observation/.test(heads[at + 1]?.kind ?? ""),
  );
  return cutBy(text, borneOut);
}

/** An input belongs to an action, an output to either. */
const follows = (kind: LabelKind, before = "") =>
  kind === "input" ? before === "action" : kind !== "observation" || before === "action" || before === "input";

/** ReAct: labelled lines. What came back is told in the next user message, or behind the action in the same message. */
export const react: Dialect = {
  name: "react",
  recognises: (instructions) =>
    endIn(instructions) !== undefined && /^\W{0,4}actions?\b[^\n]{0,20}:/im.test(instructions),
  read: readLabels,
  finishNote: ({ instructions }) =>
    `Write no further action. Write your whole answer behind the label "${endIn(instructions) ?? FINAL_ANSWER}:".`,
  frame({ instructions }) {
    const label = endIn(instructions) ?? FINAL_ANSWER;
    // Parsers that look for anything but a final answer look for the thought before it.
    const thought = label === FINAL_ANSWER ? "" : "Thought: I can answer without using any more tools.\n";
    return { open: `${thought}${label}: `, close: "" };
  },
};

/** The label of the last answer: the first that the instructions have on a line of its own, else one in a sentence. */
function endIn(instructions: string): string | undefined {
  if (/^\W{0,4}final answer\W{0,4}:/im.test(instructions)) return FINAL_ANSWER;
  if (/^\W{0,4}answer\W{0,2}:/im.test(instructions)) return "Answer";
  return /\bfinal answer:/i.test(instructions) ? FINAL_ANSWER : undefined;
}

export const TOOL_FIELD = "[[ ## next_tool_name ## ]]";

/** How frameworks begin to repeat their instructions behind an outcome: that would make equal outcomes differ. */
const REMINDER =
  /\n\r?\n[ \t]{0,8}(you only have access to the following tools|important: use the following format|use the following format|remember to (use|respond|answer)|(please )?(respond|reply|answer) (only )?in (the following|this) format)/i;

/** A look for the name of an action spares nearly all prose the look at its lines. */
const MAY_ACT = /(?:action|tool|function)[^\n:\]]{0,32}[:\]]/i;

function readLabels(labelled: string, origin: TextOrigin, work: Work): readonly TextActions[] | undefined {
  if (!MAY_ACT.test(labelled)) return undefined;
  const text = labelled.slice(0, REMINDER.exec(labelled)?.index);
  const sections = sectionsOf(text, work);
  const steps: { calls: readonly Call[]; text: string; isOver: boolean }[] = [];
  let spoken = 0;
  for (const [index, { kind, label, start, body }] of sections.entries()) {
    const latest = steps.at(-1);
    // In an answer an outcome is imagined: the framework stops reading here and runs the action.
    if (kind === "observation" && origin === "answer") break;
    if (kind === "observation" && latest !== undefined) {
      // Of several actions told together, all have this outcome.
      latest.calls = latest.calls.map((call) => ({ ...call, outcome: { text: body.trim() } }));
      latest.isOver = true;
      spoken = start + body.length;
    }
    if (kind !== "action") continue;
    const next = sections[index + 1];
    const calls = callsTold(body.trim(), label, next?.kind === "input" ? next.body.trim() : undefined, work);
    if (calls.length === 0) continue;
    if (latest === undefined || latest.isOver)
      steps.push({ calls, text: text.slice(spoken, start).trim(), isOver: false });
    else latest.calls = [...latest.calls, ...calls];
  }
  return steps.length === 0 ? undefined : steps;
}

/** Longer names are instructions about names ("the action to take, only one of …"). In characters. */
const MAX_NAME = 80;

function callsTold(action: string, label: string, input: string | undefined, work: Work): readonly Call[] {
  // A list of them, each with a mark of its own that is new each time; under this label prose stands as well.
  if (label === "actions") return action.startsWith("[") ? writtenCalls(action, work) : [];
  // With an input of its own anything on one line is a name ("Google Search"); alone it must look like one.
  if (input !== undefined)
    return action === "" || action.length > MAX_NAME || action.includes("\n") ? [] : [{ tool: action, args: input }];
  if (/^(?:\{|```)/.test(action)) return writtenCalls(action, work);
  return [nameWithInput(action, true)].flatMap((call) => call ?? []);
}

const fieldBlocks: Dialect = {
  name: "fields",
  recognises: (instructions) => instructions.includes(TOOL_FIELD) && lastActionIn(instructions) !== undefined,
  read: (text, origin, work) => (text.includes(TOOL_FIELD) ? readLabels(text, origin, work) : undefined),
  finishNote: ({ instructions }) =>
    `Write your whole answer into the field next_thought, and name the tool ${lastActionIn(instructions) ?? "finish"}, without arguments. Call no other tool.`,
  finalText: ({ text, instructions }) =>
    `[[ ## next_thought ## ]]\n${text}\n\n${TOOL_FIELD}\n${lastActionIn(instructions) ?? "finish"}\n\n[[ ## next_tool_args ## ]]\n{}\n\n[[ ## completed ## ]]`,
};

/** In the order in which they are asked: the more a text must have to be one, the earlier. */
export const dialects: readonly Dialect[] = [
  markedCalls,
  code,
  callingTools,
  fieldBlocks,
  markupCalls,
  jsonActions,
  react,
];

export function readText(text: string, origin: TextOrigin, work: Work) {
  if (!work.spend(text.length / 4)) return undefined;
  for (const dialect of dialects) {
    const steps = dialect.read(text, origin, work);
    if (steps === undefined) continue;
    // An object is the first action alone of those that are written down one after the other, each with what came back.
    const labelled = dialect === jsonActions && origin === "history" ? readLabels(text, origin, work) : undefined;
    const areObserved = labelled?.some(({ calls }) => calls.some(({ outcome }) => outcome !== undefined));
    return { dialect, steps: areObserved && labelled ? labelled : steps };
  }
  return undefined;
}

/** How prompts announce that the turns which follow only show how it is done. */
const BEGINS =
  /^\W{0,4}(<examples?(_\d+)?>|(here is|this is|see) an example\b|(for )?examples?([ \t]{0,4}(\d{1,4}|question|task|input|output|interaction|run|turn)){0,3}s?[ \t]{0,4}(:|$|\n)|few[- ]?shot\b)/i;
const IS_OVER =
  /<\/examples?(_\d+)?>\s*$|^\W{0,2}(your )?task history memory starts|^\W{0,4}(end of (the )?examples?\b|now (begin|it is your turn)\b)/i;
/** Results told in text belong to an example's action and not to the run. */
const OBSERVES = /^\W{0,2}(observation|action (result|error))\b/i;
/** Longer ones are tasks, in which the word may stand as well. In characters. */
const MAX_BEGINNING = 400;
const MAX_TURNS = 4;

/** Few-shot examples in front of a run, by index. They count as instructions: what they tell has not happened. */
export function exampleTurns(
  messages: readonly (Message | undefined)[],
  work: Work,
  shown: Dialect | undefined,
): ReadonlySet<number> {
  const examples = new Set<number>();
  const heard = (at: number) => (messages[at]?.part === "user" ? messages[at].text : "");
  for (let from = 1; ; ) {
    const turn = messages.findIndex((message, at) => at >= from && message?.part === "assistant");
    const announced = heard(turn - 1);
    if (announced.length > MAX_BEGINNING || !BEGINS.test(announced)) return examples;
    // A user message with another one behind it is what came back, and then comes the task.
    const isTask = (at: number) => !OBSERVES.test(heard(at)) && messages[at + 1]?.part !== "user";
    const next = messages.findIndex(
      (_, at) => at > turn && heard(at) !== "" && (IS_OVER.test(heard(at)) || isTask(at)),
    );
    const isEnd = IS_OVER.test(heard(next));
    if (next === -1 || !(isEnd || areExample(messages.slice(turn, next), work, shown))) return examples;
    const end = isEnd ? next + 1 : next;
    for (let at = turn - 1; at < end; at += 1) examples.add(at);
    from = end + 1;
  }
}

function areExample(messages: readonly (Message | undefined)[], work: Work, shown: Dialect | undefined): boolean {
  const turns = messages.filter((message) => message?.part === "assistant");
  const read = (text: string) => readText(text, "history", work) ?? shown?.read(text, "history", work);
  const acts = turns.some(({ text, calls }) => calls.length > 0 || read(text) !== undefined);
  return acts && turns.length <= MAX_TURNS;
}
