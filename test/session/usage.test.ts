import { describe, expect, it } from "vitest";
import type { Policy } from "../../src/index.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import { tokensAsked, tokensSaid, tokenTally, usageIn } from "../../src/session/session.ts";
import { call, conversation, heard, said } from "../support/builders/steps.ts";

const limited = (budget: Policy["budget"]) =>
  policyFrom({ extends: null, budget, prices: { "*": { input: 1, output: 1 } } });

describe("what was counted", () => {
  const totals = { steps: 9, inputTokens: 70, outputTokens: 30, cost: 12, started: 1000, starts: 1 };

  it("is told as far as it is limited, and is not less than nothing where clocks differ", () => {
    const all = { tokens: 1, cost: 1, seconds: 1 };
    expect(usageIn(totals, limited(all), 1060)).toEqual({ tokens: 100, cost: 12, seconds: 60 });
    expect(usageIn(totals, limited({ tokens: 1 }), 1060)).toEqual({ tokens: 100 });
    expect(usageIn(totals, limited({ steps: 1 }), 1060)).toBeUndefined();
    expect(usageIn(totals, limited({ seconds: 1 }), 990)).toEqual({ seconds: 0 });
  });

  it("begins with the first request, or between the first ones where several came at once", () => {
    expect(usageIn({ started: 3006, starts: 3 }, limited({ seconds: 1 }), 1010)).toEqual({ seconds: 8 });
  });
});

describe("tokens", () => {
  it.each([
    { text: "abcde", tokens: 2 },
    { text: "天気予報", tokens: 4 },
  ])("of '$text' are about $tokens, in pieces too", ({ text, tokens }) => {
    const tally = tokenTally();
    for (const piece of text) tally.add(piece);
    expect(tally.tokens()).toBe(tokens);
  });

  it("of an answer are those it says and calls, of a request all that it shows the model, and the tools that it offers", () => {
    expect(tokensSaid(said("a".repeat(40)))).toBe(10);
    expect(tokensSaid(call("read", "a".repeat(36), "never counted"))).toBe(10);
    const parts = [heard("a".repeat(40)), call("read", "a".repeat(36), "b".repeat(40)), heard("c".repeat(40))];
    const told = conversation(parts, "d".repeat(40));
    expect(tokensAsked(told, [])).toBe(50);
    const schema = { type: "object" };
    const offered = tokensAsked(told, [{ name: "read", schema }]) - 50;
    expect(offered).toBe(Math.ceil((4 + JSON.stringify(schema).length) / 4));
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    expect(tokensAsked(told, [{ name: "read", schema: deep }])).toBe(51);
  });
});
