import { alternatives, type Category } from "../../languages/languages.ts";
import { type Json, isObject as isRecord } from "../../text/is-object.ts";

/**
 * What sort of thing a call does, as far as its name and arguments tell:
 * `think` and `plan` change nothing outside the model, `poll` waits for somebody else's progress, `send` reaches a
 * person, `write` changes the world, `other` is everything else (reading, searching, computing).
 */
export type ToolKind = "think" | "plan" | "poll" | "send" | "write" | "other";

const verbs = (category: Category): ReadonlySet<string> => new Set(alternatives(category).split("|"));

const THINK = new RegExp(`^(${alternatives("thinkVerb")})$`);
const PLAN = new Set(["todo", "todos", "plan", "todowrite"]);
const POLL = verbs("waitVerb");
const TIMER = new Set(["timer", "wakeup"]);
const POLL_LAST = new Set(["status", "progress", "output", "logs", "ready"]);
const SEND = verbs("sendVerb");
const SEND_FIRST = new Set(["message", "email", "mail", "sms", "post", "respond"]);
const READ = verbs("readVerb");
const WRITE = verbs("writeVerb");
const SHELL = new Set(["bash", "sh", "shell", "terminal", "exec", "command", "cmd", "powershell", "console"]);

const SHELL_WAIT =
  /^\s*sleep\s+[\d.]+[smhd]?\s*(;|&&|\n|$)|^\s*(ps|jobs|tail\s+-f|docker\s+ps|kubectl\s+get|pgrep|squeue|nvidia-smi)\b/;
const SHELL_WRITE =
  /(^|[^0-9&>-])>{1,2}\s*(?!\/dev\/null|&)\S|\b(sed\s+(-\w{1,16}\s+){0,4}-i|tee|rm|mv|cp|mkdir|touch|chmod|chown|ln|patch|truncate|dd|kill|pkill)\b|\bgit\s+(add|commit|checkout|apply|reset|stash|merge|pull|push|rebase|restore|revert|switch)\b|\b(npm|pnpm|yarn|pip3?|apt(-get)?|cargo|go|gem|brew)\s+(ci|install|add|remove|uninstall|update|upgrade|get)\b/i;

export function toolKindOf(tool: string, args: Json): ToolKind {
  const words = wordsOf(tool);
  if (THINK.test(tool.slice(0, LONGEST_NAME).toLowerCase()) || THINK.test(words.join(""))) return "think";
  if (words.some((word) => PLAN.has(word)) && listOfStates(args) !== undefined) return "plan";
  if (TIMER.has(words.at(-1) ?? "")) return "poll";
  if (words.some((word) => SHELL.has(word))) return kindOfCommand(args) ?? (isPoll(words, args) ? "poll" : "other");
  const verb = isReadRequest(args) ? "other" : verbOf(words);
  // "Update the status" ends like a poll but writes.
  if (isPollRequest(words, args) || (verb !== "write" && isPoll(words, args))) return "poll";
  return verb ?? (SEND_FIRST.has(words[0] ?? "") || isAddressed(words, args) ? "send" : "other");
}

/** What a message says, or to whom. */
const WORDED = /^(text|message|msg|content|body|markdown|subject|to|recipients?|channel(_?id)?|chat_?id)$/i;

/** `slack_post`, `feishu_message`: a service's message, with words to send. What goes to an address on the web may be anything. */
function isAddressed(words: readonly string[], args: Json): boolean {
  if (!SEND_FIRST.has(words.at(-1) ?? "") || !isRecord(args)) return false;
  const keys = Object.keys(args);
  return keys.some((key) => WORDED.test(key)) && !keys.some((key) => /^(url|uri|endpoint)$/i.test(key));
}

/** The first word that says what is done: `update_list` and `list_updates` differ. Who finds and replaces, replaces. */
function verbOf(words: readonly string[]): "send" | "write" | "other" | undefined {
  for (const [i, word] of words.entries()) {
    if (SEND.has(word)) return "send";
    if (WRITE.has(word)) return "write";
    if (READ.has(word) && words[i + 1] !== "and") return "other";
  }
  return undefined;
}

function isPoll(words: readonly string[], args: Json): boolean {
  return words.some((word) => POLL.has(word)) || POLL_LAST.has(words.at(-1) ?? "") || isPollRequest(words, args);
}

/** An editor that is told to view edits nothing. */
function isReadRequest(args: Json): boolean {
  if (!isRecord(args)) return false;
  const operation = args.command ?? operationIn(args);
  return typeof operation === "string" && READ.has(operation.toLowerCase());
}

export const isOperation = (key: string): boolean => key === "action" || key === "operation";

/** Some tools do everything, and an argument says what. */
function operationIn(args: Json): string | undefined {
  const operation = isRecord(args) ? (args.action ?? args.operation) : undefined;
  return typeof operation === "string" ? operation : undefined;
}

function isPollRequest(words: readonly string[], args: Json): boolean {
  if (!isRecord(args)) return false;
  if (typeof args.action === "string" && POLL.has(args.action.toLowerCase())) return true;
  return words.includes("stdin") && Object.values(args).includes("");
}

function kindOfCommand(args: Json): ToolKind | undefined {
  const command = commandOf(args);
  if (command === undefined) return undefined;
  if (SHELL_WRITE.test(command)) return "write";
  return SHELL_WAIT.test(command) ? "poll" : undefined;
}

export function commandOf(args: Json): string | undefined {
  if (typeof args === "string") return args;
  if (!isRecord(args)) return undefined;
  const value = args.command ?? args.cmd ?? args.script ?? args.code ?? args.input;
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(" ") : undefined;
}

const GESTURES = new Set(
  "click tap press scroll swipe type key keypress hover drag move turn step next continue advance forward roll play".split(
    " ",
  ),
);
const POINTING = new Set("click tap press scroll swipe drag".split(" "));
const SETS = new Set("type fill input enter set select choose check uncheck hover focus".split(" "));

/** What it enters or chooses is there once it is done: done again it changes nothing. */
export function setsValue(tool: string): boolean {
  return wordsOf(tool).some((word) => SETS.has(word));
}

const gestureWords = (tool: string, args: Json) => [...wordsOf(tool), ...wordsOf(operationIn(args) ?? "")];

/** It moves on from where things stand: what comes back says where that is. */
export function isGesture(tool: string, args: Json): boolean {
  if (gestureWords(tool, args).some((word) => GESTURES.has(word))) return true;
  return isRecord(args) && Object.keys(args).some((key) => /^(direction|heading)$/i.test(key));
}

/** A gesture that enters nothing: a sentence beside what it points at says why it is made. */
export function isPointing(tool: string, args: Json): boolean {
  const words = gestureWords(tool, args);
  return words.some((word) => POINTING.has(word)) && !words.some((word) => SETS.has(word));
}

const AGENT = new Set(["agent", "agents", "subagent", "subagents", "subtask", "worker", "workers"]);
const STARTS = verbs("startVerb");

export function startsAgent(tool: string): boolean {
  const words = wordsOf(tool);
  if (words.length === 1) return ["task", "agent", "subagent", "delegate"].includes(words[0] ?? "");
  if (words.includes("spawn") || words[0] === "delegate") return true;
  const isAgent = words.some((word) => AGENT.has(word)) || (words.includes("sub") && words.includes("agent"));
  return (isAgent && words.some((word) => STARTS.has(word))) || (words[0] === "new" && words[1] === "task");
}

/**
 * The states of a plan's items, in order: two plans with equal states have made no step, however they are worded.
 * Undefined when the arguments hold no such list.
 */
export function listOfStates(args: Json): readonly string[] | undefined {
  if (!isRecord(args)) return undefined;
  const list = Object.values(args).find(Array.isArray);
  const states = list?.map((item: Json) =>
    isRecord(item) ? (item.status ?? item.state ?? item.completed) : undefined,
  );
  if (states === undefined || states.length === 0 || states.includes(undefined)) return undefined;
  return states.map(String);
}

/** A longer name names nothing. In characters. */
const LONGEST_NAME = 256;

function wordsOf(tool: string): readonly string[] {
  const name = tool.slice(0, LONGEST_NAME);
  const small = name.toLowerCase();
  const apart = small === name ? small : name.replace(/([\p{Ll}0-9])(\p{Lu})/gu, "$1_$2").toLowerCase();
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}
