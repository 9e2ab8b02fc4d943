import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { type Answer, answerReader, type Edit, type ParsedRequest } from "../../../src/protocols/protocols.ts";
import type { Step } from "../../../src/step.ts";

export type Message = Readonly<Record<string, unknown>>;

export const user = (content: string, more: Message = {}): Message => ({ role: "user", content, ...more });
export const said = (content: string, more: Message = {}): Message => ({ role: "assistant", content, ...more });
export const result = (tool_name: string, content: string, more: Message = {}): Message => ({
  role: "tool",
  tool_name,
  content,
  ...more,
});

export function called(...calls: readonly (readonly [tool: string, args?: object])[]): Message {
  return said("", { tool_calls: calls.map(([name, args = {}]) => ({ function: { name, arguments: args } })) });
}

export function body(messages: readonly unknown[], more: Message = {}): string {
  return JSON.stringify({ model: "qwen3", messages, ...more });
}

export function ask(messages: readonly unknown[], more: Message = {}): ParsedRequest {
  const found = ollama.parse(body(messages, more));
  if (found === undefined) throw new Error("not understood");
  return found;
}

export function steps(...messages: readonly unknown[]): readonly Step[] {
  return ask(messages).conversation.steps;
}

/** The text of a request after these edits; as it is where it is no request. */
export function rewrite(text: string, ...edits: readonly Edit[]): string {
  const request = ollama.parse(text);
  return request === undefined ? text : ollama.rewrite(request, edits);
}

export function line(message: Message, more: Message = {}): string {
  return `${JSON.stringify({ model: "qwen3", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "", ...message }, done: false, ...more })}\n`;
}

export function read(...pieces: readonly (string | Uint8Array)[]): Answer | undefined {
  const reader = answerReader(ollama, "application/x-ndjson");
  for (const piece of pieces) reader.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  return reader.end();
}
