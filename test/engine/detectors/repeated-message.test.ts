import { describe, expect, it } from "vitest";
import { countsOf } from "../../support/builders/detection.ts";
import { call, heard, type Part, said, times } from "../../support/builders/steps.ts";

/** Extra grades are another table's. */
const counts = (parts: readonly Part[]) =>
  countsOf("repeated-message", parts).filter((found) => !/similar|heard|exchange|explanation|no-call/.test(found));
const STUCK = "I am sorry, I cannot complete this task with the tools that I have been given here.";
const prompted = (texts: readonly string[]) => texts.flatMap((text) => [said(text), heard("continue")]);
const answered = (texts: readonly string[]) =>
  texts.flatMap((text, i) => [said(text), heard(`Question number ${i}, please?`)]);

describe("counts the same text without a call", () => {
  it.each([
    { name: "word for word", parts: prompted([STUCK, STUCK, STUCK]), expected: ["3", "3 refrain"] },
    {
      name: "with other punctuation, case and emoji",
      parts: prompted([STUCK, STUCK.toUpperCase(), `${STUCK} 🙂`]),
      expected: ["3", "3 refrain"],
    },
    {
      name: "with a word changed",
      parts: prompted([STUCK, STUCK, STUCK.replace("sorry", "afraid")]),
      expected: ["3"],
    },
    { name: "no text at all", parts: prompted(["", "", ""]), expected: ["3"] },
    {
      name: "in Japanese",
      parts: prompted(times(3, () => "申し訳ありませんが、このタスクは完了できません。")),
      expected: ["3", "3 refrain"],
    },
    {
      name: "the same long answer whatever the user says",
      parts: answered(times(4, () => STUCK)),
      expected: ["3", "4 refrain"],
    },
    {
      name: "announcements without action",
      parts: prompted([
        "Let me look into it.",
        "I will check the file now.",
        "Next, I'll open the log.",
        "Let me start.",
      ]),
      expected: ["4 announcement"],
    },
    {
      name: "one correction by the harness, whatever was said",
      parts: times(3, (i) => [said(`{"click": ${i}`), heard("Could not parse this as JSON.")]).flat(),
      expected: ["3 corrected"],
    },
    {
      name: "a refrain between other work",
      parts: [said(STUCK), call("a", {}, "x y"), said(STUCK), call("b", {}, "z w"), said(STUCK)],
      expected: ["3 refrain"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("is a conversation", () => {
  it.each([
    {
      name: "the same short answer to the same question each time",
      parts: times(5, () => [said("All well."), heard("Heartbeat?")]).flat(),
      expected: [],
    },
    {
      name: "two closings",
      parts: [said("You're welcome! Have a great day!"), heard("You too, bye!"), said("Goodbye!")],
      expected: [],
    },
    { name: "a short yes to each question", parts: answered(times(5, () => "Yes, done.")), expected: [] },
    {
      name: "answers in one mould to different questions",
      parts: answered(
        times(
          5,
          (i) =>
            `Your order ${i}17 has shipped and arrives on Monday. Is there anything else I can help you with today?`,
        ),
      ),
      expected: [],
    },
    {
      name: "different answers",
      parts: answered(["Berlin is it.", "Rome, of course.", "Paris and Lyon."]),
      expected: [],
    },
    {
      name: "what was announced to a user who then spoke",
      parts: answered(
        times(4, (i) => `Let me check offer ${i} in the ${["north", "south", "east", "west"][i]} for you.`),
      ),
      expected: [],
    },
    {
      name: "the same lead-in before different calls",
      parts: times(5, (i) => ({ ...call("read", { page: i }, `text ${i}`), text: "Let me read on." })),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});
