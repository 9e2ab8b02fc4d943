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

describe("is a conversation", () => {
  it.each([
    {
      name: "a quiz about one topic",
      parts: talk([
        ["First question of the quiz: which animal is the fastest on land?", "I think that must be the cheetah."],
        ["Correct! Next animal question: which animal is the tallest?", "That would be a giraffe, I guess."],
        ["Right. Which animal sleeps the most hours a day?", "Hmm, maybe the koala, not sure."],
        ["Yes! Now, which animal has the biggest ears?", "The African elephant, for certain."],
        ["Correct again. Which animal can change its colour?", "Everybody knows that one, the chameleon."],
        ["Great. Which animal builds dams in rivers?", "It is the beaver, of course."],
        ["Right! Which animal lives the longest on land?", "Some kind of tortoise, I suppose."],
      ]),
      expected: [],
    },
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
      name: "steps that are done one after the other, in another language",
      parts: talk([
        ["Pela las patatas y corta las patatas en láminas finas.", "Ya están listas sobre la mesa."],
        ["Ahora calienta el aceite en la sartén, a fuego medio.", "Empieza a hacer burbujas pequeñas."],
        ["Pon las patatas en la sartén con el aceite caliente.", "¿Cuánto tiempo las dejo ahí?"],
        ["Unos veinte minutos, moviendo las patatas en la sartén.", "Se ven blandas y doradas."],
        ["Saca las patatas de la sartén y quita el aceite.", "Hecho, ¿qué viene ahora?"],
        ["Bate los huevos y mezcla los huevos con las patatas.", "La mezcla parece muy líquida."],
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
