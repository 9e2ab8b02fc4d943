import type { Call } from "../../step.ts";
import { isObject, jsonText, parseJson, stringIn } from "../json/json.ts";
import { type Dialect, type TextActions, plainDialect } from "./dialect.ts";

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
/** Calls of one turn that are read. */
const MAX_CALLS = 64;

/**
 * Calls as JSON between tags (Hermes, Qwen, and the local models that are taught like them): `<tool_call>{"name", "arguments"}`.
 * What came back stands in the next user message, between `<tool_response>` tags. Any other text is an end.
 */
export const taggedCalls: Dialect = {
  name: "tagged-calls",
  ...plainDialect,
  recognises: () => false,
  read: (text) => {
    const actions = callsIn(text);
    return actions === undefined ? undefined : [actions];
  },
  finishNote: () => undefined,
  finalText: ({ text }) => text,
};

function callsIn(text: string): TextActions | undefined {
  const start = text.indexOf(OPEN);
  if (start === -1) return undefined;
  const calls: Call[] = [];
  for (let at = start; at !== -1 && calls.length < MAX_CALLS; at = text.indexOf(OPEN, at + OPEN.length)) {
    // One that a stop sequence has cut off lacks its end.
    const end = text.indexOf(CLOSE, at);
    const call = callOf(text.slice(at + OPEN.length, end === -1 ? undefined : end));
    if (call !== undefined) calls.push(call);
  }
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, start).trim() };
}

function callOf(body: string): Call | undefined {
  // Code stands behind the object where a tool takes some.
  const code = body.indexOf("<code>");
  const json = parseJson(code === -1 ? body : body.slice(0, code));
  const tool = isObject(json) ? stringIn(json.name) : undefined;
  if (!isObject(json) || tool === undefined || tool === "") return undefined;
  const args = json.arguments ?? json.parameters ?? {};
  const text = typeof args === "string" ? args : (jsonText(args) ?? "");
  return { tool, args: code === -1 ? text : `${text}\n${body.slice(code)}` };
}
