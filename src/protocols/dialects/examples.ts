import type { Message } from "./history.ts";
import { readText } from "./text-turn.ts";

/** How prompts announce that the turns which follow only show how it is done. */
const BEGINS =
  /^\W{0,4}(<examples?(_\d+)?>|(here is|this is|see) an example\b|(for )?examples?[ \t]*(\d+|question|task|input|output|interaction|run|turn)?s?[ \t]*\d*[ \t]*(:|$|\n)|few[- ]?shot\b)/i;
/** How they say that it is over. */
const ENDS =
  /<\/examples?(_\d+)?>\s*$|^\W{0,2}(your )?task history memory starts|^\W{0,4}(end of (the )?examples?\b|now (begin|it is your turn)\b)/i;
/** Longer ones are tasks, in which the word may stand as well. In characters. */
const MAX_BEGINNING = 400;
/** Results told in text, which belong to an example's action and not to the run. */
const OBSERVES = /^\W{0,2}(observation|action (result|error))\b/i;

/**
 * Few-shot examples: the messages in front of a run that only show the model how it is done, by index. They count as
 * instructions: what they tell has not happened, and many runs begin with the same ones.
 */
export function exampleTurns(messages: readonly (Message | undefined)[]): ReadonlySet<number> {
  const examples = new Set<number>();
  const first = messages.findIndex((message) => message?.part === "assistant");
  // One look at the message before the first turn spares all others.
  let at = first - 1;
  while (at >= 0 && isBeginning(messages[at], messages[at + 1])) {
    const end = endOfExample(messages, at);
    if (end === undefined) break;
    for (let index = at; index <= end; index++) examples.add(index);
    const next = messages.findIndex((message, index) => index > end && message?.part === "assistant");
    at = next - 1 > end ? next - 1 : -1;
  }
  return examples;
}

function isBeginning(message: Message | undefined, turn: Message | undefined): boolean {
  if (message?.part !== "user" || turn?.part !== "assistant") return false;
  return message.text.length <= MAX_BEGINNING && BEGINS.test(message.text);
}

function acts(turn: Message | undefined): boolean {
  return turn?.part === "assistant" && (turn.calls.length > 0 || readText(turn.text, "history") !== undefined);
}

/** Turns of one example; more are a run. */
const MAX_TURNS = 4;

/** The last message of the example, in which something is done; undefined where nothing follows it that could be the task. */
function endOfExample(messages: readonly (Message | undefined)[], from: number): number | undefined {
  let end = from;
  for (let index = from + 1; index < messages.length; index++) {
    const message = messages[index];
    if (message?.part === "user" && ENDS.test(message.text)) return index;
    const follows = message?.part === "assistant" || message?.part === "result" || isObserved(messages, index);
    if (!follows) break;
    end = index;
  }
  const turns = messages.slice(from + 1, end + 1).filter((message) => message?.part === "assistant");
  if (turns.length > MAX_TURNS || !turns.some(acts)) return undefined;
  const task = messages[end + 1];
  return task?.part === "user" && !OBSERVES.test(task.text) ? end : undefined;
}

/** Right behind the example's turn, with another user message behind it: what came back, and then the task. */
function isObserved(messages: readonly (Message | undefined)[], index: number): boolean {
  const message = messages[index];
  if (message?.part !== "user") return false;
  return OBSERVES.test(message.text) || messages[index + 1]?.part === "user";
}
