import { describe, expect, it } from "vitest";
import type { DetectorSettings } from "../../../src/engine/engine.ts";
import { countsOf } from "../../support/builders/detection.ts";
import { call, heard, type Part, said, times } from "../../support/builders/steps.ts";

/** The counts of one extra grade of `repeated-message`. */
const counts = (grade: string, parts: readonly Part[], detectors: DetectorSettings = {}) =>
  countsOf("repeated-message", parts, { detectors }).filter((found) => found.endsWith(` ${grade}`));

const REFUND = "Your refund of forty dollars has been issued to your card.";
const ASK = "Please tell me when my refund will arrive on my card.";

describe("similar messages of this side", () => {
  const answered = (texts: readonly string[]) => texts.flatMap((text, i) => [said(text), heard(`What about ${i}?`)]);
  it.each([
    { name: "whatever the other says", parts: answered(times(3, () => REFUND)), expected: ["3 similar"] },
    {
      name: "but for case, width, emoji and punctuation",
      parts: answered([REFUND, `${REFUND.toUpperCase()} 🎉`, REFUND.replaceAll("o", "ｏ")]),
      expected: ["3 similar"],
    },
    { name: "not after work", parts: [...answered([REFUND]), call("look", {}, "a b c"), said(REFUND)], expected: [] },
  ])("$name", ({ parts, expected }) => expect(counts("similar", parts)).toEqual(expected));
});

describe("similar messages of the other side", () => {
  const asking = (texts: readonly string[]) => texts.flatMap((text, i) => [said(`Answer number ${i}.`), heard(text)]);
  it.each([
    { name: "whatever was answered", parts: asking(times(3, () => ASK)), expected: ["3 heard"] },
    { name: "not others", parts: asking([ASK, "And what about order two?", ASK]), expected: [] },
  ])("$name", ({ parts, expected }) => expect(counts("heard", parts)).toEqual(expected));
});

describe("the same exchange, word for word", () => {
  const rounds = (pairs: readonly (readonly [string, string])[]) => pairs.flatMap(([a, b]) => [said(a), heard(b)]);
  const ok = ["Okay!", "okay 🙂"] as const;
  it.each([
    { name: "however short", parts: rounds([ok, ok, ok]), expected: ["3 exchange"] },
    {
      name: "two rounds in turn",
      parts: rounds(times(5, (i) => (i % 2 === 0 ? ok : (["Great!", "Perfect!"] as const)))),
      expected: ["4 exchange"],
    },
    {
      name: "not what was said long ago",
      parts: rounds([ok, ...times(7, (i) => [`Word ${i}`, `To ${i}`] as const), ok]),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts("exchange", parts)).toEqual(expected));
});

describe("the same explanation beside calls", () => {
  const type = (i: number, text: string, page = "the page with the form") => ({
    ...call("type", { target: `#f${i}` }, page),
    text,
  });
  const SAME = "Yahoo!トラベルで箱根のホテルを検索します。";
  it.each([
    { name: "though the actions differ", parts: times(3, (i) => type(i, SAME)), expected: ["3 explanation"] },
    { name: "not on another page each time", parts: times(3, (i) => type(i, SAME, `page ${i}`)), expected: [] },
  ])("$name", ({ parts, expected }) => expect(counts("explanation", parts)).toEqual(expected));
});

it("turns without a call, whatever is said", () => {
  const talk = times(4, (i) => [said(`Fact number ${i} is this.`), heard(`Tell me fact ${i + 1}.`)]).flat();
  expect(counts("no-call", talk)).toEqual(["4 no-call"]);
  expect(counts("no-call", [...talk, call("look", {}, "a b c"), said("That is it.")])).toEqual([]);
});

it("what is similar is a setting", () => {
  const parts = [said("Yes, done."), heard("And A?"), said("Yes, done."), heard("And B?"), said("Yes, done.")];
  expect(counts("similar", parts, { "repeated-message": { words: 2 } })).toEqual(["3 similar"]);
  const changed = [said(REFUND), heard("Hm?"), said(REFUND.replace("card", "account"))];
  expect(counts("similar", changed, { "repeated-message": { alike: 1 } })).toEqual([]);
});
