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

const talk = (rounds: readonly (readonly [said: string, heard: string])[]) =>
  rounds.flatMap(([text, reply]) => [said(text), heard(reply)]);

describe("counts what is said again in other words, whatever is heard", () => {
  it.each([
    {
      name: "one question after each answer to it",
      parts: talk([
        ["Happy to help. What is the serial number of your boiler, please?", "It is not legible."],
        ["To go on I need the serial number of the boiler.", "The plate is rusty, I cannot read it."],
        ["I see. Could you tell me your boiler's serial number?", "No, as I said."],
        ["The serial number is what we need first. Which number has the boiler?", "I do not know."],
        ["Thanks for waiting! Please give me the serial number.", "Is there another way?"],
        ["Understood. Then only the boiler's serial number is missing.", "Hello?"],
        ["Of course. What serial number is on the boiler?", "This is going nowhere."],
        ["Sorry for that. I only need the boiler's serial number.", "No."],
      ]),
      expected: ["5 reworded"],
    },
    {
      name: "one offer against another, neither of which moves",
      parts: talk([
        ["Our budget for the vans is 410 a day, insurance included. Can you meet it?", "Sorry, 530 is our rate."],
        ["For that many vans we would ask for 410 a day.", "It stays at 530."],
        ["Could you still consider a rate of 410, with insurance?", "530 is the best that we have."],
        ["I appreciate that. Would 410 a day be possible for all vans?", "No, 530."],
        ["Thank you. As told, the budget is 410 for a day.", "530 a day."],
        ["We really need 410 per van and day.", "Sorry."],
        ["Then please offer us the vans at 410.", "530, as before."],
        ["Is a day for 410 possible, insurance included?", "No."],
      ]),
      expected: ["5 reworded"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("is a conversation", () => {
  it.each([
    {
      name: "a form that is filled in, question by question",
      parts: talk(
        ["name", "street", "town", "birthday", "phone", "employer", "bank", "signature"].map((field) => [
          `Thank you! What is your ${field}, please, for the form?`,
          `It is the ${field}y one.`,
        ]),
      ),
      expected: [],
    },
    {
      name: "what takes up each time what was told",
      parts: talk([
        ["Which rooms are to be painted in your house?", "The kitchen."],
        ["So the kitchen is to be painted. Which other rooms of the house?", "The pantry."],
        ["Kitchen and pantry of the house, noted. Any other to be painted?", "The stairs."],
        ["Stairs as well, then. What else in your house is to be painted?", "The cellar."],
        ["The cellar too. Are there other rooms to be painted?", "The attic."],
        ["Attic, noted for your house. Which rooms else?", "The porch."],
        ["A porch is outside of the house, and painted in summer. Other rooms?", "None."],
      ]),
      expected: [],
    },
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
