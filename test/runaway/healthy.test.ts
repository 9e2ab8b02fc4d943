import { describe, expect, it } from "vitest";
import { firedAt, times } from "../support/builders/runaway.ts";

const words = "amber brook cedar delta ember fjord grove heron inlet jetty knoll larch maple north ochre pearl".split(
  " ",
);
const word = (i: number): string => `${words[i % 16]}-${words[(i * 7 + 3) % 16]}${i}`;
const args = (value: unknown): string => JSON.stringify(value);

const healthy: readonly { readonly name: string; readonly text: string }[] = [
  { name: "a numbered sequence", text: times(60, (i) => `item ${i}, `) },
  {
    name: "a calculation",
    text: times(20, (i) => `For n = ${i} the value of the whole expression that we have been looking at is ${i * i}. `),
  },
  { name: "paths", text: times(40, (i) => `projects/acme/locations/europe/clusters/main/nodes/${word(i)}\n`) },
  { name: "code", text: `\`\`\`c\n${times(256, "  { .op = NOP, .len = 1, .cycles = 4, .fn = exec_nop },\n")}\`\`\`` },
  { name: "blank lines in a fence", text: `\`\`\`\n${times(300, "\n")}\`\`\`` },
  { name: "a table of equal rows", text: `| a | b |\n|---|---|\n${times(60, "| to do | nobody |\n")}` },
  ...["-", "•", "→", "・", "- [ ]", ">", "1.", "a)", "###"].map((bullet) => ({
    name: `equal lines after ${bullet}`,
    text: times(40, `${bullet} to be written by the team\n`),
  })),
  ...["-", "_", ".", "─"].map((mark) => ({ name: `a divider of ${mark}`, text: `Above\n${mark.repeat(300)}\nBelow` })),
  { name: "a picture of emoji", text: times(12, `${times(12, "🌲")}\n`) },
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
  {
    name: "JSON in an answer",
    text: `Here it is:\n${JSON.stringify(
      Array.from({ length: 40 }, () => ({ state: "pending" })),
      null,
      2,
    )}\nThat is all.`,
  },
  { name: "base64", text: args({ data: Buffer.from(times(200, (i) => word(i * 11))).toString("base64") }) },
];

describe("leaves alone", () => {
  it.each(healthy)("$name", ({ text }) => expect(firedAt(text)).toBe(Number.POSITIVE_INFINITY));
});
