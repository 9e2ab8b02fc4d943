import type { Call } from "../../step.ts";
import { isObject, jsonText, objectIn, stringIn } from "../json/json.ts";
import { type Dialect, type TextActions, plainDialect } from "./dialect.ts";
import { pythonLiteral } from "./python-literal.ts";

const MARK = /(?:^|\n)[ \t]*(?:Calling tools|Tool calls):/i;

/** Native tool calls that the agent tells again as text: a Python list of them, with a new id each turn (smolagents). */
export const callingTools: Dialect = {
  name: "calling-tools",
  ...plainDialect,
  isNative: true,
  recognises: () => false,
  read: (text, origin) => {
    const actions = origin === "history" ? toldCalls(text) : undefined;
    return actions === undefined ? undefined : [actions];
  },
  task: (message) => /^New task:\n([\s\S]*)$/.exec(message)?.[1],
  finishNote: () => undefined,
  finalText: ({ text }) => text,
};

/** The calls of a text's list, and what was said before it. */
export function toldCalls(text: string): TextActions | undefined {
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  const list = pythonLiteral(text, mark.index + mark[0].length)?.value;
  if (!Array.isArray(list)) return undefined;
  const calls = list.flatMap((json): readonly Call[] => callOf(json));
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, mark.index).trim() };
}

function callOf(json: unknown): readonly Call[] {
  if (!isObject(json)) return [];
  const called = isObject(json.function) ? json.function : json;
  const tool = stringIn(objectIn(called).name);
  if (tool === undefined) return [];
  const { arguments: args } = objectIn(called);
  const id = stringIn(json.id);
  const text = typeof args === "string" ? args : (jsonText(args ?? {}) ?? "");
  return [id === undefined ? { tool, args: text } : { id, tool, args: text }];
}
