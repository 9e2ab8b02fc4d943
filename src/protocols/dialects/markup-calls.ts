import type { Call } from "../../step.ts";
import { jsonText, parseJson } from "../json/json.ts";
import { type Dialect, plainDialect } from "./dialect.ts";

/** Longer instructions are read as far as this. In characters. */
const READ_MAX = 32_768;
/** How agents call the action that ends a run, told as a tool: quoted, with its parameters, or as an element. */
const LAST_ACTION =
  /[<"'`=\n ](attempt_completion|final_answer|final_result|finish(?:_\w{1,24})?|task_(?:done|complete)|complete_task|submit(?:_answer)?|done|final)(?=[("'`>])/;

/** The action by which these instructions say that a run is ended; undefined if they name none. */
export function lastActionIn(instructions: string): string | undefined {
  return LAST_ACTION.exec(instructions.slice(0, READ_MAX))?.[1];
}

/** Calls of one turn that are read. */
const MAX_CALLS = 16;
/** An element that calls a tool whose name stands in its tag: `<invoke name="find">`, `<function=find>`. */
const NAMED = /(?:^|\n)[ \t]{0,8}<(?<tag>\w{1,32})(?:[ \t]{1,4}name[ \t]{0,4}=[ \t]{0,4}"|=)(?<tool>[\w.:-]{1,64})"?>/g;
/** An element whose tag is the tool: it has an underscore, for `<table>` is an answer. */
const BARE = /(?:^|\n)[ \t]{0,8}<(?<tag>[a-z]{1,32}(?:_[a-z0-9]{1,32}){1,4})>/g;
/** A parameter: `<path>…</path>`, `<parameter name="path">…</parameter>`, `<parameter=path>…</parameter>`. */
const PARAMETER = /^\s{0,64}<(\w{1,64})(?:(?:[ \t]{1,4}name[ \t]{0,4}=[ \t]{0,4}"|=)([\w.:-]{1,64})"?)?>/;

/** Calls written as elements of markup, their parameters as elements inside (Cline, Roo Code, OpenHands, models that are asked for XML). */
export const markupCalls: Dialect = {
  name: "markup-calls",
  ...plainDialect,
  recognises: () => false,
  read: (text) => {
    const calls = elementsIn(text);
    const [first] = calls;
    return first && [{ calls: calls.map(({ call }) => call), text: text.slice(0, first.at).trim() }];
  },
  finishNote: ({ sample, instructions }) => {
    const end = endIn({ sample, instructions, text: "<what you have found out>" });
    return end && `Take no further action. Your whole answer must have this form:\n${end}`;
  },
  finalText: ({ text, sample, instructions }) => endIn({ sample, instructions, text }) ?? text,
};

interface CallElement {
  readonly at: number;
  readonly call: Call;
}

/** Elements with names in their tags may stand in one that has none. */
function elementsIn(text: string): readonly CallElement[] {
  if (!text.includes("</")) return [];
  const named = elementsLike(NAMED, text);
  return named.length > 0 ? named : elementsLike(BARE, text);
}

function elementsLike(pattern: RegExp, text: string): readonly CallElement[] {
  const calls: CallElement[] = [];
  const open = new RegExp(pattern);
  for (let tries = 0; tries < MAX_CALLS; tries++) {
    const match = open.exec(text);
    if (match === null) break;
    const { tag = "", tool = tag } = match.groups ?? {};
    const close = text.indexOf(`</${tag}>`, open.lastIndex);
    // One that a stop sequence has cut off lacks its end.
    const args = argsIn(text.slice(open.lastIndex, close === -1 ? undefined : close), pattern === NAMED);
    if (args !== undefined) calls.push({ at: match.index, call: { tool, args } });
    if (close === -1) break;
    if (args !== undefined) open.lastIndex = close;
  }
  return calls;
}

/** @param isNamed the tag says that it is a call, so that it may have no parameter, or JSON inside */
function argsIn(inside: string, isNamed: boolean): string | undefined {
  const args: Record<string, string> = Object.create(null);
  let rest = inside;
  for (let match = PARAMETER.exec(rest); match !== null; match = PARAMETER.exec(rest)) {
    const [opening, tag = "", name = tag] = match;
    const close = rest.indexOf(`</${tag}>`, opening.length);
    args[name] = rest.slice(opening.length, close === -1 ? undefined : close).trim();
    rest = close === -1 ? "" : rest.slice(close + tag.length + 3);
  }
  const hasArgs = Object.keys(args).length > 0;
  if (rest.trim() === "") return hasArgs || isNamed ? jsonText(args) : undefined;
  return isNamed && !hasArgs && parseJson(rest) !== undefined ? rest.trim() : undefined;
}

/** The element that ends a run, in the form of the agent's latest call; undefined where the instructions name none: then any text ends it. */
function endIn({ sample, instructions, text }: { sample: string; instructions: string; text: string }) {
  const tool = lastActionIn(instructions);
  if (tool === undefined) return undefined;
  const parameter = parameterOf(tool, instructions) ?? "result";
  const [named] = sample.matchAll(NAMED);
  if (named === undefined) return `<${tool}>\n<${parameter}>${text}</${parameter}>\n</${tool}>`;
  const [opening, , latest = ""] = named;
  const inside = opening.includes('"') ? `<parameter name="${parameter}">` : `<parameter=${parameter}>`;
  return `${opening.trim().replace(latest, tool)}\n${inside}${text}</parameter>\n</${named.groups?.tag}>`;
}

/** The first parameter that the instructions show in a call of the tool: as an element inside, or in a signature. */
function parameterOf(tool: string, instructions: string): string | undefined {
  const element = new RegExp(
    String.raw`<(?:\w{1,32} name="|\w{1,32}=)?${tool}"?>\s{0,16}<(?:\w{1,32}(?: name="|=))?(\w{1,64})"?>`,
  );
  const signature = new RegExp(String.raw`\b${tool}\(\s{0,4}(\w{1,64})`);
  return (element.exec(instructions) ?? signature.exec(instructions))?.[1];
}
