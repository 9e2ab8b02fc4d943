import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Edit, ParsedRequest } from "../../../src/protocols/protocols.ts";

export type Message = Readonly<Record<string, unknown>>;

export const user = (content: unknown): Message => ({ role: "user", content });
export const said = (content: unknown): Message => ({ role: "assistant", content });
export const result = (tool_call_id: string, content: unknown): Message => ({ role: "tool", tool_call_id, content });

export function called(...calls: readonly (readonly [id: string, tool: string, args?: string])[]): Message {
  return {
    role: "assistant",
    content: null,
    tool_calls: calls.map(([id, name, args = "{}"]) => ({ id, type: "function", function: { name, arguments: args } })),
  };
}

export function body(messages: readonly unknown[], more: Message = {}): string {
  return JSON.stringify({ model: "gpt-4.1", messages, ...more });
}

export function ask(messages: readonly unknown[], more: Message = {}): ParsedRequest {
  const found = chatCompletions.parse(body(messages, more));
  if (found === undefined) throw new Error("not understood");
  return found;
}

export function rewrite(text: string, edits: readonly Edit[]): string {
  const request = chatCompletions.parse(text);
  return request === undefined ? text : chatCompletions.rewrite(request, edits);
}
