import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";

const first = JSON.stringify({ id: "c1", usage: { total_tokens: 5, cost: 0.5, detail: { cached: 1 }, tier: "a" } });

describe("an answer with the usage of the one before it", () => {
  it.each([
    {
      name: "adds what both count, at any depth, and keeps what one of them tells",
      answer: '{"id":"c2","usage":{"total_tokens":7,"detail":{"cached":2,"audio":3}}}',
      whole: '{"id":"c2","usage":{"total_tokens":12,"cost":0.5,"detail":{"cached":3,"audio":3},"tier":"a"}}',
    },
    {
      name: "is told it where it counts nothing itself",
      answer: '{ "id": "c2" }',
      whole: '{ "id": "c2" ,"usage":{"total_tokens":5,"cost":0.5,"detail":{"cached":1},"tier":"a"}}',
    },
    {
      name: "is told it in the place of nothing",
      answer: '{"usage": null, "n": 12345678901234567890}',
      whole: '{"usage": {"total_tokens":5,"cost":0.5,"detail":{"cached":1},"tier":"a"}, "n": 12345678901234567890}',
    },
    { name: "stays as it is if it is no object", answer: "[1]", whole: "[1]" },
    { name: "stays as it is if it is no JSON", answer: "data: x", whole: "data: x" },
  ])("$name", ({ answer, whole }) => {
    const spliced = chatCompletions.addUsage(first, answer);
    expect(spliced.replaceAll(" ", "")).toBe(whole.replaceAll(" ", ""));
    if (whole.includes("n"))
      expect(spliced.includes("12345678901234567890")).toBe(answer.includes("12345678901234567890"));
  });

  it("is counted however deep a server nests what are no counts", () => {
    const deep = `{"usage":{"total_tokens":2,"x":${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}}}`;
    expect(() => chatCompletions.addUsage(deep, deep)).not.toThrow();
  });

  it.each(["", "[]", "{}", '{"usage":7}', "not json"])("stays as it is where %j counted nothing", (earlier) => {
    expect(chatCompletions.addUsage(earlier, '{"usage":{"total_tokens":1}}')).toBe('{"usage":{"total_tokens":1}}');
  });
});
