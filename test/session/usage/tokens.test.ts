import { expect, it } from "vitest";
import { tokensAsked, tokensSaid, tokenTally } from "../../../src/session/session.ts";
import { call, conversation, heard, said } from "../../support/builders/steps.ts";

it.each([
  { text: "", tokens: 0 },
  { text: "abcd", tokens: 1 },
  { text: "abcde", tokens: 2 },
  { text: "天気予報", tokens: 4 },
  { text: "날씨", tokens: 2 },
  { text: "天気 abcd", tokens: 4 },
])("'$text' is about $tokens", ({ text, tokens }) => {
  const tally = tokenTally();
  tally.add(text);
  expect(tally.tokens()).toBe(tokens);
});

it("pieces count as their whole does", () => {
  const tally = tokenTally();
  for (const piece of ["a", "b", "c", "d", "e"]) tally.add(piece);
  expect(tally.tokens()).toBe(2);
});

it("an answer is what it says and what it calls", () => {
  expect(tokensSaid(said("a".repeat(40)))).toBe(10);
  expect(tokensSaid(call("read", "a".repeat(36), "never counted"))).toBe(10);
});

it("a request is all that it shows the model, and the tools that it offers", () => {
  const told = conversation(
    [heard("a".repeat(40)), call("read", "a".repeat(36), "b".repeat(40)), heard("c".repeat(40))],
    "d".repeat(40),
  );
  expect(tokensAsked(told, [])).toBe(50);
  const schema = { type: "object" };
  expect(tokensAsked(told, [{ name: "read", schema }]) - 50).toBe(Math.ceil((4 + JSON.stringify(schema).length) / 4));
});
