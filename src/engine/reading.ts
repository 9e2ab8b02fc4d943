import { bytes, readAscii } from "./ascii.ts";
import { SMALL } from "./char-class.ts";
import { EMPTY_HASH, leastRanks, LONGEST_SAMPLE, noRanks, rank, withUnit } from "./min-hash.ts";
import { BLANK, type Sketch, sketchOf } from "./sketch.ts";
import { countWords } from "./words.ts";

/** What is kept of a text when the text is gone. */
interface Reading {
  readonly like: Sketch;
  readonly words: number;
}

const NOTHING: Reading = { like: BLANK, words: 0 };

/** Of what somebody said. */
export function readSpeech(text: string): Reading {
  return readAtOnce(text) ?? { like: sketch(text), words: countWords(text) };
}

/** Longer texts are sketched by head and tail. In characters. */
const SPAN = LONGEST_SAMPLE / 2;

export function sketch(text: string): Sketch {
  const sample = text.length > 2 * SPAN ? text.slice(0, SPAN) + text.slice(-SPAN) : text;
  return readAtOnce(sample)?.like ?? sketchOf(leastRanks(sample));
}

/** One look at each character for both; undefined for what is longer, or has other characters than ASCII. */
function readAtOnce(text: string): Reading | undefined {
  if (text === "") return NOTHING;
  const length = readAscii(text);
  return length === undefined ? undefined : readBytes(length);
}

function readBytes(length: number): Reading {
  const least = noRanks();
  let hash = EMPTY_HASH;
  let words = 0;
  let isWord = false;
  for (let i = 0; i < length; i++) {
    const small = SMALL[bytes[i] ?? 0] ?? 0;
    if (small !== 0) {
      hash = withUnit(hash, small);
      isWord = true;
    } else if (isWord) {
      rank(hash, least);
      words++;
      hash = EMPTY_HASH;
      isWord = false;
    }
  }
  if (isWord) {
    rank(hash, least);
    words++;
  }
  return { like: sketchOf(least), words };
}
