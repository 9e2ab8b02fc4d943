import { describe, expect, it } from "vitest";
import { runawayScanner } from "../../src/runaway/runaway.ts";
import { delayOf, firedAt, labelledChants, limits, times, uncounted } from "../support/builders/runaway.ts";

const chants: readonly { readonly name: string; readonly text: string }[] = [
  { name: "one word", text: times(200, "loop ") },
  { name: "a Japanese sentence", text: times(20, "もう一度ファイルを確認します。") },
  { name: "ReAct", text: times(20, 'Thought: I should search.\nAction: search\nAction Input: {"q": "x"}\n') },
  { name: "behind a fence", text: `\`\`\`sh\nmake\n\`\`\`\n${times(20, "Run it and see what happens. ")}` },
  { name: "a sentence in a call's arguments", text: `{"thought":"${times(30, "I must try again. ")}` },
];

/** What only whoever asked could want more of, but nobody ever wants so much of. */
const endless: readonly { readonly name: string; readonly text: string }[] = [
  { name: "a list's item", text: times(2_000, "- to be written by the team\n") },
  { name: "a table's row", text: times(2_000, "| to do | nobody |\n") },
  { name: "an array's object", text: `{"steps":[${times(2_000, '{"do":"look again"},')}` },
];

describe("finds soon", () => {
  it.each(chants)("$name", ({ text }) => {
    expect(firedAt(text)).toBeLessThan(text.length);
    expect(delayOf(text)).toBeLessThanOrEqual(1.3);
  });

  it("a sentence that counts", () => {
    const sentence = (i: number) =>
      `Attempt ${i}: the build is still failing, so I will try the very same command again. `;
    expect(delayOf(times(40, sentence), uncounted)).toBeLessThanOrEqual(1.3);
  });
});

/** Sentences with one sign of structure among them. */
const laidOut: readonly string[] = [
  "I run a terminal command next.\nIt is unzip -p book.xlsx xl/workbook.xml | cut -c1-400 | grep sheet\n\n",
  "<thinking>\nI should look at the file first!\n</thinking>\n<read_file>\n<path>a.txt</path>\n</read_file>\n",
];

describe("finds within 30 laps", () => {
  it.each(laidOut)("%j", (lap) => {
    expect(firedAt(times(250, lap))).toBeLessThanOrEqual(Math.max(30 * lap.length, limits.leastChars));
    expect(firedAt(times(10, lap))).toBe(Number.POSITIVE_INFINITY);
  });

  it("what a few openings, sentences and endings are put together to, with nothing new in it", () => {
    const pick = (of: readonly string[], i: number) => of[i % of.length];
    const paragraph = (i: number) =>
      `${pick(["Okay, so.", "Right, then.", "Let me see.", "Well, now."], i)} ${pick(
        ["I open the config file now.", "I check the port first.", "I read the log.", "The build comes next."],
        i * 3 + (i >> 2),
      )} ${pick(["Here we go.", "Proceeding with it.", "Executing it now.", "One moment, please."], i + (i >> 3))}\n\n`;
    expect(firedAt(times(600, paragraph))).toBeLessThan(times(100, paragraph).length);
  });
});

describe("ends where repetition belongs, but without end", () => {
  it.each(endless)("$name", ({ text }) => {
    expect(firedAt(text)).toBeGreaterThan(1_000);
    expect(firedAt(text)).toBeLessThan(text.length);
  });
});

describe("what it tells", () => {
  it.each([
    { text: times(30, "I will check the file again. "), found: { laps: 6, blockTokens: 7, chars: 173 } },
    { text: times(400, "\n"), found: { laps: 150, blockTokens: 1, chars: 150 } },
  ])("$found.laps laps in $found.chars characters", ({ text, found }) => {
    expect(runawayScanner(limits).push(text)).toEqual(found);
  });
});

describe("of the labelled cases", () => {
  it.each(labelledChants.filter((one) => one.loops))("finds $id in time: $note", ({ text }) => {
    expect(firedAt(text)).toBeLessThan(text.length);
    expect(delayOf(text, uncounted)).toBeLessThanOrEqual(1.3);
  });

  it.each(labelledChants.filter((one) => !one.loops))("leaves $id alone: $note", ({ text }) => {
    expect(firedAt(text)).toBe(Number.POSITIVE_INFINITY);
  });
});
