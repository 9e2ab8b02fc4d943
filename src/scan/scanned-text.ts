import { leastRanks, lengthOf } from "./min-hash.ts";
import { BLANK, type Sketch, sketchOf } from "./sketch.ts";
import { LONGEST_SAMPLE } from "./code-units.ts";
import { countWords } from "./words.ts";
import { type Scan, scanWords, SPACELESS, traits } from "./word-scan.ts";

/** Reading: the facts that remain of a text when the text itself is gone. */
interface Reading {
  readonly like: Sketch;
  readonly words: number;
}

const NOTHING: Reading = { like: BLANK, words: 0 };

/** Reads a text that somebody said. */
export function readSpeech(text: string): Reading {
  if (text === "") return NOTHING;
  if (text.length > LONGEST_SAMPLE) return { like: sketch(text), words: countWords(text) };
  const scan = scanWords(text);
  const words = wordsIn(scan);
  return { like: sketchOfScan(text, scan), words };
}

/** Longer texts are sketched by head and tail. In characters. */
const SPAN = LONGEST_SAMPLE / 2;

export function sketch(text: string): Sketch {
  const sample = text.length > 2 * SPAN ? text.slice(0, SPAN) + text.slice(-SPAN) : text;
  return sketchOfScan(sample, scanWords(sample));
}

/** @param scan of this text, and the last one that was made */
export function sketchOfScan(text: string, scan: Scan): Sketch {
  // A text's words are compared whatever their case: capitals beyond ASCII are found by writing it in lower case.
  const { count } = scan.hasCapitals ? scanWords(text.toLowerCase()) : scan;
  return sketchOf(leastRanks(count));
}

/** Two characters make a word where there are no spaces. */
function wordsIn({ count }: Scan): number {
  let words = count;
  for (let word = 0; word < count; word++)
    if (((traits[word] ?? 0) & SPACELESS) !== 0) words += Math.ceil(lengthOf(word) / 2) - 1;
  return words;
}
