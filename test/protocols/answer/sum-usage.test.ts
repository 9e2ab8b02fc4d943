import { expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";

const first = JSON.stringify({ id: "c1", usage: { total_tokens: 5, cost: 0.5, detail: { cached: 1 }, tier: "a" } });

it("adds what both count, at any depth, and keeps what one of them tells, byte for byte else", () => {
  const answer = '{"n": 12345678901234567890, "usage":{"total_tokens":7,"detail":{"cached":2,"audio":3}}}';
  const total = '{"total_tokens":12,"cost":0.5,"detail":{"cached":3,"audio":3},"tier":"a"}';
  expect(chatCompletions.addUsage(first, answer)).toBe(`{"n": 12345678901234567890, "usage":${total}}`);
  const deep = `{"usage":{"total_tokens":2,"x":${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}}}`;
  expect(() => chatCompletions.addUsage(deep, deep)).not.toThrow();
  for (const odd of ["", "[]", "{}", '{"usage":7}', "not json"]) {
    expect(chatCompletions.addUsage(odd, '{"usage":{"total_tokens":1}}')).toBe('{"usage":{"total_tokens":1}}');
    if (odd !== "{}" && !odd.startsWith("{")) expect(chatCompletions.addUsage(first, odd)).toBe(odd);
  }
});
