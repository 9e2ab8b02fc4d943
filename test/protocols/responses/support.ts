import { expect } from "vitest";
import type { ParsedRequest } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";

export function body(input: unknown, more: object = {}): string {
  return JSON.stringify({ model: "gpt-5", ...more, input });
}

export function parsed(text: string): ParsedRequest {
  return responses.parse(text) ?? expect.fail("not understood");
}

export const user = (content: unknown) => ({ role: "user", content });
export const called = (call_id: string, name = "search", args = '{"q":"a"}') => ({
  type: "function_call",
  call_id,
  name,
  arguments: args,
});
export const result = (call_id: string, output: unknown = "Rain.") => ({
  type: "function_call_output",
  call_id,
  output,
});
export const searching = { type: "function", name: "search", parameters: { type: "object" }, strict: false };
