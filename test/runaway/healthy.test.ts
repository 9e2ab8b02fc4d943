import { describe, expect, it } from "vitest";
import { firedAt, times } from "../support/builders/runaway.ts";

const words = "amber brook cedar delta ember fjord grove heron inlet jetty knoll larch maple north ochre pearl".split(
  " ",
);
const word = (i: number): string => `${words[i % 16]}-${words[(i * 7 + 3) % 16]}${i}`;
const args = (value: unknown): string => JSON.stringify(value);

const healthy: readonly { readonly name: string; readonly text: string }[] = [
  { name: "nothing", text: "" },
  { name: "five laps", text: times(5, "I will check the file again, and once more after that. ") },
  { name: "few characters", text: `It is ${times(20, "very ")}good, really.` },
  { name: "emphasis", text: times(8, "no, no, no, ").slice(0, 100) },
  { name: "a numbered sequence", text: times(60, (i) => `item ${i}, `) },
  {
    name: "numbered sentences, one to a line",
    text: times(60, (i) => `Step ${i}: run the script and check that the output matches what you expected to see.\n`),
  },
  {
    name: "a calculation",
    text: times(20, (i) => `For n = ${i} the value of the whole expression that we have been looking at is ${i * i}. `),
  },
  { name: "a short sentence that counts", text: times(30, (i) => `Row ${i} is fine. `) },
  { name: "multiplication", text: times(40, (i) => `7 x ${i} = ${7 * i}\n`) },
  {
    name: "paths with a long prefix",
    text: times(40, (i) => `projects/acme/locations/europe/clusters/main/nodes/${word(i)}\n`),
  },
  {
    name: "equal lines in a fence",
    text: `\`\`\`c\n${times(256, "  { .op = NOP, .len = 1, .cycles = 4, .fn = exec_nop },\n")}\`\`\``,
  },
  { name: "equal lines in a fence of tildes", text: `~~~\n${times(100, "all is well here\n")}~~~` },
  {
    name: "backticks within a longer fence",
    text: `\`\`\`\`md\n\`\`\`\n${times(50, "all is well here\n")}\`\`\`\n${times(50, "and here\n")}\`\`\`\``,
  },
  { name: "blank lines in a fence", text: `\`\`\`\n${times(300, "\n")}\`\`\`` },
  { name: "a table of equal rows", text: `| a | b |\n|---|---|\n${times(60, "| to do | nobody |\n")}` },
  { name: "a table's wide divider", text: `| ${times(4, `${"-".repeat(200)} | `)}\n` },
  { name: "a table with padded cells", text: times(10, (i) => `| ${word(i)}${" ".repeat(300)} | done |\n`) },
  { name: "a table without outer bars", text: `a | b\n--|--\n${times(60, "to do | nobody\n")}` },
  { name: "a table drawn with dashes", text: times(40, "+------------+------------+\n| to do      | nobody     |\n") },
  { name: "a table drawn with lines", text: times(40, "├────────────┼────────────┤\n│ to do      │ nobody     │\n") },
  { name: "columns", text: times(40, "pending      none      unknown\n") },
  { name: "columns with tabs", text: times(40, "pending\tnone\tunknown\n") },
  { name: "zeros as CSV", text: times(100, `${times(99, "0,")}0\n`) },
  { name: "zeros with blanks", text: times(40, "0 0 0 0 0 0 0 0 0 0\n") },
  { name: "equal rows of CSV", text: times(60, "pending,none,unknown\n") },
  { name: "equal rows with semicolons in quotes", text: times(60, '"pending";"none";"unknown"\n') },
  ...[
    "-",
    "*",
    "+",
    "•",
    "–",
    "◦",
    "▪",
    "→",
    "✓",
    "・",
    "- [ ]",
    "- [x]",
    "[ ]",
    ">",
    "1.",
    "1)",
    "a)",
    "a.",
    "#",
    "###",
  ].map((bullet) => ({
    name: `equal lines after ${bullet}`,
    text: times(40, `${bullet} to be written by the team\n`),
  })),
  { name: "equal lines after •, no blank", text: times(40, "•to be written by the team\n") },
  { name: "equal items, one level down", text: times(40, "  - to be written\n") },
  { name: "numbered scores", text: times(150, (i) => `${i + 1}. Score: ${(i * 37) % 101}\n`) },
  {
    name: "a long numbered list of names",
    text: times(200, (i) => `${i + 1}. ${"abcdefgh"[i % 8]}at ${"xyzuvw"[i % 6]}ar\n`),
  },
  { name: "a numbered list", text: times(60, (i) => `${i + 1}. To be written by the team.\n`) },
  { name: "bullets before equal continuation lines", text: times(40, "- to be written\n  by the team\n") },
  {
    name: "equal text under numbered headings",
    text: times(30, (i) => `## Step ${i}\nRun the script and check the output.\n`),
  },
  { name: "equal text between dividers", text: times(20, "----------\nRun the script and check the output.\n") },
  { name: "equal text under quotes", text: times(20, "> as you said\nRun the script and check the output.\n") },
  ...["-", "=", "*", "_", "~", "#", ".", "─", "═", "░"].map((mark) => ({
    name: `a divider of ${mark}`,
    text: `Above\n${mark.repeat(300)}\nBelow`,
  })),
  { name: "a divider of two marks", text: `Above\n${"-=".repeat(150)}\nBelow` },
  { name: "spaced dividers", text: times(60, "* * * * *\n") },
  { name: "dividers one below the other", text: times(30, `${"=".repeat(80)}\n`) },
  { name: "a test's dots", text: times(20, `${".".repeat(80)}\n`) },
  { name: "a contents page", text: times(20, (i) => `Chapter ${word(i)} ${".".repeat(100)} ${i}\n`) },
  { name: "a form", text: times(20, (i) => `${word(i)}: ${"_".repeat(80)}\n`) },
  { name: "ASCII art", text: times(20, `      /\\/\\/\\      ${"##".repeat(20)}     \\/\\/\\/\n`) },
  { name: "bars of blocks", text: times(20, `${"█".repeat(60)}${"░".repeat(40)}\n`) },
  { name: "a picture of emoji", text: times(12, `${times(12, "🌲")}\n`) },
  { name: "a list with emoji for bullets", text: times(40, "🔹 to be written by the team\n") },
  { name: "an array in code", text: args({ code: `b = [\n${times(8, `  [${times(7, "None, ")}None],\n`)}]` }) },
  { name: "an array with an element on each line", text: args({ code: `b = [\n${times(60, "    None,\n")}]` }) },
  { name: "an array of hexadecimal numbers", text: args({ code: times(40, `    ${times(8, "0x00, ")}\n`) }) },
  { name: "quoted elements of an array", text: `Use ["${times(40, 'pending", "')}pending"].` },
  { name: "a map of emoji on lines of a fence", text: `\`\`\`\n${times(12, `${times(12, "🌲")}\n`)}\`\`\`` },
  { name: "YAML", text: times(30, (i) => `- name: ${word(i)}\n  image: local/river:1.0\n  limits:\n    cpu: 500m\n`) },
  { name: "SQL", text: times(30, (i) => `INSERT INTO users (id, name) VALUES (${i}, '${word(i)}');\n`) },
  { name: "equal statements", text: times(30, "    queue.append(None);\n") },
  { name: "translations", text: times(30, (i) => `"${word(i)}": "OK",\n`) },
  { name: "equal cells of HTML", text: times(40, "<td>none</td>\n") },
  { name: "closing tags", text: times(40, "</div>\n") },
  {
    name: "a poem with a refrain",
    text: times(
      12,
      (i) =>
        `The ${word(i)} sails by ${word(i + 5)} at night,\nthe ${word(i + 9)} is out of sight,\nand home we go, and home we go.\n\n`,
    ),
  },
  {
    name: "a song whose last chorus comes four times",
    text: times(4, "And home we go, and home we go, the lights are on, the wind is low.\n"),
  },
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
  {
    name: "equal sentences in equal objects",
    text: args({ rows: Array.from({ length: 60 }, () => ({ state: "Nothing is wrong here." })) }),
  },
  { name: "equal sentences in a list", text: times(60, "- Nothing is wrong here. There is nothing to do.\n") },
  { name: "equal comments in a fence", text: `\`\`\`py\n${times(60, "# Add one to the counter.\ncounter += 1\n")}` },
  { name: "equal sentences in a table", text: times(60, "| Nothing is wrong here. | There is nothing to do. |\n") },
  {
    name: "ordinary prose",
    text: times(
      40,
      (i) => `The ${word(i)} reads each ${word(i * 3 + 1)} in turn, and streams ${word(i * 5 + 2)} to the table. `,
    ),
  },
  {
    name: "arguments of similar objects",
    text: args({ rows: Array.from({ length: 40 }, (_, i) => ({ id: i, state: "pending", owner: null })) }),
  },
  {
    name: "arguments of equal objects",
    text: args({ cells: Array.from({ length: 64 }, () => ({ piece: "none", color: "white" })) }),
  },
  { name: "arguments of equal texts", text: args({ column: Array.from({ length: 100 }, () => "to be written") }) },
  {
    name: "arguments of equal numbers",
    text: args({ grid: Array.from({ length: 30 }, () => Array.from({ length: 30 }, () => 0)) }),
  },
  { name: "arguments of nulls", text: args({ row: Array.from({ length: 200 }, () => null) }) },
  {
    name: "arguments set out on lines",
    text: JSON.stringify({ rows: Array.from({ length: 40 }, () => ({ state: "pending", owner: null })) }, null, 4),
  },
  {
    name: "JSON in an answer",
    text: `Here it is:\n${JSON.stringify(
      Array.from({ length: 40 }, () => ({ state: "pending" })),
      null,
      2,
    )}\nThat is all.`,
  },
  {
    name: "a file with a table, in arguments",
    text: args({ path: "a.md", content: `# T\n\n| a | b |\n|---|---|\n${times(60, "| to do | nobody |\n")}` }),
  },
  { name: "a file with a list, in arguments", text: args({ path: "a.md", content: times(60, "- [ ] to do\n") }) },
  {
    name: "a file with a fence, in arguments",
    text: args({ path: "a.md", content: `\`\`\`\n${times(100, "all is well here\n")}\`\`\`\n` }),
  },
  {
    name: "a file of indented code, in arguments",
    text: args({ content: times(40, (i) => `        self.${word(i)} = None\n`) }),
  },
  {
    name: "base64 of a picture",
    text: args({ data: Buffer.from(times(200, (i) => word(i * 11))).toString("base64") }),
  },
];

describe("leaves alone", () => {
  it.each(healthy)("$name", ({ text }) => expect(firedAt(text)).toBe(Number.POSITIVE_INFINITY));
});
