import type { Conversation } from "../loopbench/conversations.ts";
import type { Said, SaidCall } from "../../test/support/wires/wire.ts";

/** A recorded conversation as it was asked for, turn by turn. */
export interface RecordedRun {
  readonly id: string;
  /** Chat completions. */
  readonly messages: readonly RecordedMessage[];
  readonly tools: readonly RecordedTool[];
  /** Index, among the messages, of each turn of the assistant. */
  readonly turns: readonly number[];
}

export interface RecordedMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface RecordedTool {
  readonly name: string;
  readonly description?: string;
  /** A JSON schema. */
  readonly parameters: object;
}

/** Recordings that name no tools offer those that they call. */
export function recordedRun({ id, messages, tools }: Pick<Conversation, "id" | "messages" | "tools">): RecordedRun {
  const all = messages as readonly RecordedMessage[];
  const turns = all.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
  const offered = tools.flatMap((tool) => (tool as { function?: RecordedTool }).function ?? []);
  return { id, messages: all, tools: offered.length > 0 ? offered : calledIn(all), turns };
}

function calledIn(messages: readonly RecordedMessage[]): readonly RecordedTool[] {
  const names = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => call.function.name));
  return [...new Set(names)].sort().map((name) => ({ name, parameters: { type: "object", properties: {} } }));
}

/** What was said, in no wire format; instructions at the beginning are apart. */
export function saidIn(messages: readonly RecordedMessage[]): {
  readonly system?: string;
  readonly said: readonly Said[];
} {
  const first = messages.findIndex(({ role }) => !isInstruction(role));
  const at = first < 0 ? messages.length : first;
  const system = messages.slice(0, at).map(({ content }) => textOf(content) ?? "");
  return { ...(system.length > 0 && { system: system.join("\n\n") }), said: messages.slice(at).map(oneSaid) };
}

export const isInstruction = (role: string): boolean => role === "system" || role === "developer";

function oneSaid({ role, content, tool_calls, tool_call_id }: RecordedMessage): Said {
  const text = textOf(content);
  if (role === "tool") return { who: "tool", id: tool_call_id ?? "", text: text ?? "" };
  if (role !== "assistant") return { who: "user", text: text ?? "" };
  return { who: "assistant", ...(text !== undefined && { text }), calls: callsOf({ tool_calls: tool_calls ?? [] }) };
}

/** Arguments are an object where a format takes nothing else. */
export function callsOf({ tool_calls = [] }: Pick<RecordedMessage, "tool_calls">): readonly SaidCall[] {
  return tool_calls.map(({ id, function: called }, i) => ({
    id: id ?? `call_${i}`,
    tool: called.name.replaceAll(".", "_"),
    args: isObject(called.arguments) ? called.arguments : JSON.stringify({ input: called.arguments }),
  }));
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Undefined where nothing is said. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content === "" ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  return content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n") || undefined;
}
