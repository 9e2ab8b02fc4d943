import { describe, expect, it } from "vitest";
import { labelledCases } from "../support/builders/cases.ts";
import { firedAt, limits, times } from "../support/builders/runaway.ts";
import { runawayScanner } from "../../src/runaway/runaway.ts";

const words = "amber brook cedar delta ember fjord grove heron inlet jetty knoll larch maple north ochre pearl".split(
  " ",
);
const word = (i: number): string => `${words[i % 16]}-${words[(i * 7 + 3) % 16]}${i}`;
const args = (value: unknown): string => JSON.stringify(value);

const healthy: readonly { readonly name: string; readonly text: string }[] = [
  { name: "a numbered sequence", text: times(60, (i) => `item ${i}, `) },
  { name: "code", text: `\`\`\`c\n${times(256, "  { .op = NOP, .len = 1, .cycles = 4, .fn = exec_nop },\n")}\`\`\`` },
  { name: "a table of equal rows", text: `| a | b |\n|---|---|\n${times(60, "| to do | nobody |\n")}` },
  ...["-", "•", "- [ ]", "1."].map((bullet) => ({
    name: `equal lines after ${bullet}`,
    text: times(40, `${bullet} to be written by the team\n`),
  })),
  ...["-", "─"].map((mark) => ({ name: `a divider of ${mark}`, text: `Above\n${mark.repeat(300)}\nBelow` })),
  {
    name: "an essay that is shown three times, each time with a change at its end",
    text: times(
      3,
      (i) => `${times(30, (j) => `The ${word(j)} goes by the ${word(j * 3 + 1)}. `)}\n\n## Version ${i}\n\n`,
    ),
  },
  {
    name: "a report whose sections say the same of other files",
    text: times(60, (i) => `## ${word(i)}\nNothing is wrong here. There is nothing to do.\n\n`),
  },
  { name: "objects", text: args({ cells: Array.from({ length: 64 }, () => ({ piece: "none", color: "white" })) }) },
  { name: "base64", text: args({ data: Buffer.from(times(200, (i) => word(i * 11))).toString("base64") }) },
];

it.each(healthy)("leaves alone: $name", ({ text }) => expect(firedAt(text)).toBe(Number.POSITIVE_INFINITY));

/** What stands before them, a lap, and the fewest laps that the rule allows. */
const chants: readonly (readonly [name: string, before: string, lap: string, least: number])[] = [
  ["one word", "", "loop ", limits.shortLaps],
  ["a Japanese sentence", "", "もう一度ファイルを確認します。", limits.shortLaps],
  ["ReAct", "", 'Thought: I should search.\nAction: search\nAction Input: {"q": "x"}\n', limits.longLaps],
  ["behind a fence", "```sh\nmake\n```\n", "Run it and see what happens. ", limits.shortLaps],
  ["a sentence in a call's arguments", '{"thought":"', "I must try again. ", limits.shortLaps],
];

const endless: readonly { readonly name: string; readonly text: string }[] = [
  { name: "a list's item", text: times(2_000, "- to be written by the team\n") },
  { name: "a table's row", text: times(2_000, "| to do | nobody |\n") },
  { name: "an array's object", text: `{"steps":[${times(2_000, '{"do":"look again"},')}` },
];

describe("finds soon", () => {
  const soon = (lap: string, least: number) => 1.3 * Math.max(limits.leastChars, least * lap.length);

  it.each(chants)("%s", (_, before, lap, least) => {
    expect(firedAt(before + times(200, lap)) - before.length).toBeLessThanOrEqual(soon(lap, least));
  });

  it("a sentence that counts", () => {
    const sentence = (i: number) =>
      `Attempt ${i}: the build is still failing, so I will try the very same command again. `;
    expect(firedAt(times(40, sentence))).toBeLessThanOrEqual(soon(sentence(10), limits.longLaps));
  });
});

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

it.each(endless)("ends where repetition belongs, but without end: $name", ({ text }) => {
  expect(firedAt(text)).toBeGreaterThan(1_000);
  expect(firedAt(text)).toBeLessThan(text.length);
});

it.each([
  { text: times(30, "I will check the file again. "), found: { laps: 6, blockTokens: 7, chars: 173 } },
  { text: times(400, "\n"), found: { laps: 150, blockTokens: 1, chars: 150 } },
])("what it tells: $found.laps laps in $found.chars characters", ({ text, found }) => {
  expect(runawayScanner(limits).push(text)).toEqual(found);
});

it.each(labelledCases.filter(({ kind }) => kind === "chant"))(
  "of the labelled cases, $id is $expect: $note",
  ({ messages, expect: label }) => {
    const text = String(messages.find(({ role }) => role === "assistant")?.content);
    expect(firedAt(text) < text.length).toBe(label === "loop");
  },
);
