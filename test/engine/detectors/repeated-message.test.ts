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
    {
      name: "with other punctuation, case and emoji",
      parts: prompted([STUCK, STUCK.toUpperCase(), `${STUCK} 🙂`]),
      expected: ["3", "3 refrain"],
    },
    { name: "no text at all", parts: prompted(["", "", ""]), expected: ["3"] },
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
      name: "a refrain between other work",
      parts: [said(STUCK), call("a", {}, "x y"), said(STUCK), call("b", {}, "z w"), said(STUCK)],
      expected: ["3 refrain"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

const talk = (rounds: readonly (readonly [said: string, heard: string])[]) =>
  rounds.flatMap(([text, reply]) => [said(text), heard(reply)]);

describe("is a conversation", () => {
  it.each([
    {
      name: "an intake about one damage",
      parts: talk([
        ["I'm sorry to hear that. When did the damage to the car happen?", "It was last Tuesday around noon."],
        ["Thank you. Where was the car when the damage happened?", "On the parking lot behind my office."],
        ["I see. Which part of the car is damaged?", "Mostly the left door and mirror."],
        ["Was another car involved in the damage?", "Nobody saw anything, they drove off."],
        ["Did you report the damage to the police?", "Not yet, should I do that?"],
        ["Yes, please do. Can the car still be driven?", "It drives fine, but looks ugly."],
        ["Do you have photos of the damage to the car?", "I took three with my phone."],
        ["Please upload the photos of the damage. Which garage should repair the car?", "The closest."],
      ]),
      expected: [],
    },
    {
      name: "the same short answer to the same question each time",
      parts: times(5, () => [said("All well."), heard("Heartbeat?")]).flat(),
      expected: [],
    },
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
      name: "what was announced to a user who then spoke",
      parts: answered(
        times(4, (i) => `Let me check offer ${i} in the ${["north", "south", "east", "west"][i]} for you.`),
      ),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});
