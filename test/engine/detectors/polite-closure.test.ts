import { describe, expect, it } from "vitest";
import { type DetectorSettings, inspect } from "../../../src/engine/engine.ts";
import { countsOf, printOf } from "../../support/builders/detection.ts";
import { heard, type Part, said, times } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[], detectors: DetectorSettings = {}) =>
  countsOf("polite-closure", parts, { detectors });
const agent = said("You're welcome! Have a great day! 😊");
const user = heard("Thank you, you too! Have a great day. 😊");
const round: readonly Part[] = [agent, user];

describe("counts rounds in which both sides only close", () => {
  it.each([
    { name: "two", parts: [...round, ...round], expected: ["2"] },
    {
      name: "in ever other words",
      parts: [...round, said("Take care!"), heard("Bye!"), said("Goodbye, Ann."), heard("See you soon, bye")],
      expected: ["3"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("suspects rounds in which both sides thank each other and say more", () => {
  const kind = said("I appreciate the kind words, thank you! Your hint about borders made it what it is.");
  const back = heard("Likewise! Working on this with you was great. Have a good day!");
  it.each([
    { name: "two", parts: [kind, back, kind, back], expected: ["2 thanks"] },
    { name: "before a farewell", parts: [kind, back, kind, back, ...round], expected: ["1", "3 thanks"] },
    { name: "one that asks", parts: [kind, back, kind, heard("Thank you! Which one is next?")], expected: [] },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("is no closure", () => {
  it.each([
    { name: "one side alone", parts: [...round, agent] },
    { name: "a question", parts: [...round, agent, heard("Thanks! And when will it come?")] },
    { name: "a request", parts: [...round, agent, heard("Thanks, and also cancel order 5")] },
  ])("$name", ({ parts }) => expect(counts(parts)).toEqual([]));
});

it("how short a message must be is a setting", () => {
  const parts = [said("Thank you so much for your help today, have a wonderful rest of your day!"), user];
  expect(counts(parts, { "polite-closure": { chars: 80 } })).toEqual(["1"]);
  expect(counts(times(3, () => round).flat(), { "polite-closure": { chars: 30 } })).toEqual(["3 thanks"]);
});

it("keeps lengths of farewells, and no word of them", () => {
  const fingerprint = printOf({ ...agent, heard: [user.heard] });
  expect(fingerprint.closes).toBe(35);
  expect(fingerprint.heardCloses).toBe(39);
  expect(JSON.stringify(fingerprint)).not.toMatch(/thank|welcome|great/i);
});

it("sees nothing in fingerprints of a release that did not look for farewells", () => {
  const {
    closes: _,
    heardCloses: __,
    heardSimilarity: ___,
    heardWords: ____,
    ...older
  } = printOf({
    ...agent,
    heard: [user.heard],
  });
  const window = times(3, () => older);
  const found = inspect({ window, total: 3, requestedRepeats: 0, elsewhere: 0 }).map(
    ({ detector, grade = "" }) => `${detector}:${grade}`,
  );
  expect(found).toContain("repeated-message:");
  expect(found).not.toContain("polite-closure:");
  expect(found).not.toContain("repeated-message:heard");
});
