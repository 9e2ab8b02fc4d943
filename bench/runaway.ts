import { runawayScanner } from "../src/runaway/runaway.ts";
import { delayOf, firedAt, labelledChants, limits, uncounted } from "../test/support/builders/runaway.ts";
import { type Speed, speedOf } from "./runaway/speed.ts";
import { caseTexts, recordedTexts, type Written } from "./runaway/texts.ts";

/**
 * How soon the scanner for runaway output fires on the labelled cases, how often on what real agents wrote, and how fast it
 * is. `--verbose`: the end of each text that it fires on.
 */
const recorded = await recordedTexts(process.env.UNLOOP_DATA ?? "../shared");

for (const { id, loops, text } of labelledChants()) {
  const delay = loops ? `, ${delayOf(text, uncounted).toFixed(2)} times the earliest moment` : "";
  console.log(`${loops ? "loop   " : "healthy"}  ${id}: ${describeEnd(firedAt(text))}${delay}`);
}

if (recorded === undefined) console.log("\nno sessions (set UNLOOP_DATA to the folder that holds trajectories/)");
else reportRecorded(recorded);

const answers = (recorded ?? (await caseTexts())).map(({ text }) => text);
console.log("\nMB/s of text      scanner   bare fold");
for (const [name, texts] of [
  ["as written", firstOf(answers, 1e6)],
  [
    "long answers",
    firstOf(
      answers.filter((text) => text.length > 1_000),
      1e6,
    ),
  ],
  ["one long word", [lettersFrom("abcdefghijklmnopqrstuvwxyz")]],
  ["Chinese", [lettersFrom("的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出")]],
  ["zeros in a fence", [`\`\`\`\n${"0,0,0,0,0,0,0,0,0,0\n".repeat(1_000)}`]],
] as const) {
  console.log(speedLine(speedOf(name, texts, limits)));
}

function describeEnd(at: number): string {
  return at === Number.POSITIVE_INFINITY ? "silent" : `fires at ${at}`;
}

function reportRecorded(written: readonly Written[]): void {
  const fired = written.filter(({ text }) => runawayScanner(limits).push(text) !== undefined);
  const chars = written.reduce((sum, { text }) => sum + text.length, 0);
  console.log(`\n${fired.length} of ${written.length} recorded texts (${(chars / 1e6).toFixed(1)} MB) fire`);
  for (const { id, what, text } of fired) {
    const at = firedAt(text);
    console.log(`  ${id}, ${what}: fires at ${at}`);
    if (process.argv.includes("--verbose")) console.log(`    ${JSON.stringify(text.slice(Math.max(0, at - 300), at))}`);
  }
}

function speedLine({ name, scanner, fold }: Speed): string {
  return `${name.padEnd(16)}  ${scanner.toFixed(1).padStart(7)}  ${fold.toFixed(1).padStart(10)}`;
}

/** The first texts, of so many characters together. */
function firstOf(texts: readonly string[], chars: number): readonly string[] {
  let sum = 0;
  return texts.filter((text) => {
    sum += text.length;
    return sum <= chars;
  });
}

/** Half a megabyte without a blank and without a period, the same in each run. */
function lettersFrom(alphabet: string): string {
  let state = 1;
  let text = "";
  while (text.length < 500_000) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    text += alphabet.charAt((state >>> 16) % alphabet.length);
  }
  return text;
}
