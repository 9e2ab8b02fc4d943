import type { Call } from "../../step.ts";
import { isObject, jsonText, parseJson } from "../json/json.ts";
import type { Dialect, TextActions } from "./dialect.ts";

/** ReAct: labelled lines, of which `Action:` and `Action Input:` tell a call; the next user message tells what came back. */
export const react: Dialect = {
  name: "react",
  read: reactActions,
  finalText: ({ text }) => `Final Answer: ${text}`,
};

// Sticky, tried only at the start of a line, every run bounded: linear however long the text is.
const heading =
  /[ \t]{0,8}(?:[*#]{1,3}[ \t]?)?(Action|Observation|Thought|Final Answer)[ \t]{0,2}\d{0,4}([ \t]{0,2}Input)?[ \t]{0,2}\d{0,4}[ \t]{0,2}:[ \t]{0,2}\*{0,2}/iy;
const toolName = /^[\p{L}_][\p{L}\p{N}_.:/-]*$/u;
const toolWithInput = /^([\p{L}_][\p{L}\p{N}_.:/-]*)[ ]?(?:\[([\s\S]*)\]|\(([\s\S]*)\))$/u;

interface Section {
  readonly kind: "action" | "input" | "other" | "observation";
  readonly start: number;
  readonly body: string;
}

/** The actions of a ReAct text (`Action:` and `Action Input:`, `Action: search[query]`, or `Action:` with a JSON blob). */
function reactActions(text: string): TextActions | undefined {
  if (!text.includes("Action") && !text.includes("ACTION")) return undefined;
  const sections = sectionsOf(text);
  const calls: Call[] = [];
  let before = text.length;
  for (const [index, section] of sections.entries()) {
    // What follows is imagined: the framework stops reading here and runs the action.
    if (section.kind === "observation") break;
    if (section.kind !== "action") continue;
    const next = sections[index + 1];
    const call = callOf(section.body.trim(), next?.kind === "input" ? next.body.trim() : undefined);
    if (call === undefined) continue;
    calls.push(call);
    before = Math.min(before, section.start);
  }
  return calls.length === 0 ? undefined : { calls, text: text.slice(0, before).trim() };
}

function sectionsOf(text: string): readonly Section[] {
  const heads: { kind: Section["kind"]; start: number; end: number }[] = [];
  for (let line = 0; line !== -1; line = nextLine(text, line)) {
    heading.lastIndex = line;
    const match = heading.exec(text);
    if (match !== null) heads.push({ kind: kindOf(match), start: line, end: line + match[0].length });
  }
  return heads.map(({ kind, start, end }, index) => ({ kind, start, body: text.slice(end, heads[index + 1]?.start) }));
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? -1 : end + 1;
}

function kindOf([, name, input]: RegExpExecArray): Section["kind"] {
  if (name?.toLowerCase() === "action") return input === undefined ? "action" : "input";
  return name?.toLowerCase() === "observation" ? "observation" : "other";
}

function callOf(action: string, input: string | undefined): Call | undefined {
  // With an input of its own anything on one line is a name ("Google Search"); alone it must look like one.
  if (input !== undefined) return action === "" || action.includes("\n") ? undefined : { tool: action, args: input };
  if (action.startsWith("{") || action.startsWith("```")) return blobCall(action);
  const [line = ""] = action.split("\n", 1);
  const withInput = toolWithInput.exec(action) ?? toolWithInput.exec(line.trim());
  if (withInput !== null) return { tool: withInput[1] ?? "", args: withInput[2] ?? withInput[3] ?? "" };
  return toolName.test(line.trim()) ? { tool: line.trim(), args: "" } : undefined;
}

function blobCall(text: string): Call | undefined {
  const blob = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  if (!isObject(blob) || typeof blob.action !== "string" || blob.action === "Final Answer") return undefined;
  const input = blob.action_input ?? {};
  return { tool: blob.action, args: typeof input === "string" ? input : (jsonText(input) ?? "") };
}
