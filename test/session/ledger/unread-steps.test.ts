import { expect, it, vi } from "vitest";
import { mergeHistory } from "../../../src/session/session.ts";
import { judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, heard, times } from "../../support/builders/steps.ts";

const evaluation = judgeWith();
const letters = (text: string) => text.repeat(20_000 / text.length);

/** Characters that are put into one form, of all texts together. */
function normalizedOf(told: Parameters<typeof conversation>[0]): number {
  const normalize = vi.spyOn(String.prototype, "normalize");
  mergeHistory(undefined, conversation(told), evaluation);
  const count = normalize.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  normalize.mockRestore();
  return count;
}

/** A hundred times as many letters cost no more. */
it.each([{ what: "Cyrillic", text: letters("Привет ") }])(
  "of 400 long messages of users only as much is read as can be read at once: $what",
  ({ text }) => {
    const told = times(400, (i) => [call("read", { page: i }, `text ${i}`), heard(`${i} ${text}`)]).flat();
    expect(normalizedOf(told)).toBeLessThan(6_000_000);
    const opening = times(400, (i) => heard(`${i} ${text}`));
    expect(normalizedOf([...opening, call("read")])).toBeLessThan(6_000_000);
  },
);

it("what users asked for is known behind hundreds of prompts to go on", () => {
  const told = [
    call("read", { page: 0 }, "text"),
    heard("Vergleiche bitte fünf Mal: Ahorn, Birke und Zeder. Run it 5 times."),
    ...times(900, (i) => [call("read", { page: i }, `text ${i}`), heard("continue")]).flat(),
  ];
  const { tip } = mergeHistory(undefined, conversation(told), evaluation);
  expect(tip.requestedRepeats).toBe(5);
  expect(tip.userItems).not.toBeUndefined();
});
