import { describe, expect, it } from "vitest";
import { firedAt, times } from "../support/builders/runaway.ts";

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

describe("leaves alone", () => {
  it.each(healthy)("$name", ({ text }) => expect(firedAt(text)).toBe(Number.POSITIVE_INFINITY));
});
