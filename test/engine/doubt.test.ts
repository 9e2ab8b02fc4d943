import { describe, expect, it } from "vitest";
import { doubtIn } from "../../src/engine/engine.ts";
import { judgeWith, ledgerAfter } from "../support/builders/detection.ts";
import { call, conversation, heard, type Part, said, times } from "../support/builders/steps.ts";

function doubtOf(parts: readonly Part[], least = 2): string | undefined {
  const { window, total } = ledgerAfter(conversation(parts), judgeWith());
  return doubtIn({ window, total, requestedRepeats: 0, elsewhere: 0 }, least)?.loop;
}

const state = (i: number) =>
  `frame ${14_016 + 37 * i} of the game, at the bed of the house, facing up, nothing in the box`;
const press = (i: number) => call("press", { button: "a" }, state(i * i));
const PAGE = "Kestrel Optics makes lenses for field microscopes and sells them through regional dealers";
const search = (word: string) => call("search", { q: word }, PAGE);
const QUESTIONS = ["Which size do you want, small or large?", "Do you want small or large, which size?"];
const asks = (i: number, reply: string): readonly Part[] => [said(QUESTIONS[i % 2] ?? ""), heard(reply)];

describe("acts are in doubt", () => {
  it.each<{ name: string; parts: readonly Part[]; doubt: boolean }>([
    { name: "made before, and answered in the same form, twice", parts: times(3, press), doubt: true },
    {
      name: "that hear what is known, whatever they ask for",
      parts: ["history", "founder", "origin"].map(search),
      doubt: true,
    },
    {
      name: "each with another answer",
      parts: times(6, (i) => call("read", { page: i }, `${"abcdef"[i]} chapter`)),
      doubt: false,
    },
  ])("$name: $doubt", ({ parts, doubt }) => expect(doubtOf(parts)).toBe(doubt ? "judged-loop:acts" : undefined));

  it("sooner or later, as the policy says", () => {
    const parts = ["history", "founder"].map(search);
    expect(doubtOf(parts, 1)).toBe("judged-loop:acts");
    expect(doubtOf(parts, 2)).toBeUndefined();
  });
});

describe("talk is in doubt", () => {
  it.each<{ name: string; parts: readonly Part[]; doubt: boolean }>([
    {
      name: "that asks the same in other words",
      parts: ["Large.", "Large!", "The large one."].flatMap((reply, i) => asks(i, reply)),
      doubt: true,
    },
    {
      name: "that asks the same of whoever tells much each time",
      parts: [
        "The first order is for a coat of green wool with brass buttons and a long collar for my brother",
        "Another order: seven pairs of grey socks, knitted, for hiking in winter, sent to our office downtown",
        "Finally three umbrellas, black handles, wide enough for two people, with matching leather covers please today",
      ].flatMap((reply, i) => asks(i, reply)),
      doubt: false,
    },
  ])("$name: $doubt", ({ parts, doubt }) => expect(doubtOf(parts)).toBe(doubt ? "judged-loop:talk" : undefined));
});
