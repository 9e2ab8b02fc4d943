import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

describe("the usage that an answer tells", () => {
  const usageOf = (prompt_tokens: string, completion_tokens: string) => {
    const usage = `{"prompt_tokens":${prompt_tokens},"completion_tokens":${completion_tokens},"prompt_tokens_details":{"cached_tokens":${prompt_tokens}}}`;
    return wholeAnswer(chatCompletions.decoder(), `{"choices":[{"message":{"content":"x"}}],"usage":${usage}}`)?.usage;
  };

  it("is what it counts", () =>
    expect(usageOf("7", "3")).toEqual({ inputTokens: 7, outputTokens: 3, cachedInputTokens: 7 }));

  it.each(["-1", "-1e18", "1e300", "1e999", "4e9"])("is none where it counts %s, which would undo a budget", (number) =>
    expect(usageOf(number, number)).toBeUndefined(),
  );
});

const first = JSON.stringify({ id: "c1", usage: { total_tokens: 5, cost: 0.5, detail: { cached: 1 }, tier: "a" } });

it("two usages are added, at any depth, and what one of them tells is kept, byte for byte else", () => {
  const answer = '{"n": 12345678901234567890, "usage":{"total_tokens":7,"detail":{"cached":2,"audio":3}}}';
  const total = '{"total_tokens":12,"cost":0.5,"detail":{"cached":3,"audio":3},"tier":"a"}';
  expect(chatCompletions.addUsage(first, answer)).toBe(`{"n": 12345678901234567890, "usage":${total}}`);
  const deep = `{"usage":{"total_tokens":2,"x":${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}}}`;
  expect(() => chatCompletions.addUsage(deep, deep)).not.toThrow();
  for (const odd of ["", "[]", "not json"]) expect(chatCompletions.addUsage(first, odd)).toBe(odd);
});
