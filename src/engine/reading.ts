import { bytes, readAscii } from "./ascii.ts";
import { SMALL } from "./letters.ts";
import { EMPTY_HASH, noRanks, rank, withUnit } from "./min-hash.ts";
import { NO_NUMBERS, numbersIn, numbersText, withDigit, withOtherDigit } from "./numbers.ts";
import { BLANK, type Sketch, sketch, sketchOf } from "./sketch.ts";
import { countWords } from "./words.ts";

/** What is kept of a text when the text is gone. */
export interface Reading {
  readonly like: Sketch;
  /** The numbers in it, in order, as 64 bits; empty where there are none. */
  readonly numbers: string;
  readonly words: number;
}

const NOTHING: Reading = { like: BLANK, numbers: "", words: 0 };

/** A text's sketch, numbers and words; where it is ASCII and of usual length, by one look at each character for all three. */
export function readingOf(text: string): Reading {
  if (text === "") return NOTHING;
  const length = readAscii(text);
  if (length === undefined) return { like: sketch(text), numbers: numbersIn(text), words: countWords(text) };
  return readBytes(length);
}

function readBytes(length: number): Reading {
  const least = noRanks();
  let hash = EMPTY_HASH;
  let words = 0;
  let isWord = false;
  let isNumber = false;
  let [one, other] = NO_NUMBERS;
  let hasNumbers = false;
  for (let i = 0; i < length; i++) {
    const small = SMALL[bytes[i] ?? 0] ?? 0;
    if (small !== 0) {
      hash = withUnit(hash, small);
      isWord = true;
      if (small >= 0x30 && small <= 0x39) {
        one = withDigit(one, small, isNumber);
        other = withOtherDigit(other, small, isNumber);
        hasNumbers = true;
        isNumber = true;
      } else isNumber = false;
    } else if (isWord) {
      rank(hash, least);
      words++;
      hash = EMPTY_HASH;
      isWord = false;
      isNumber = false;
    }
  }
  if (isWord) {
    rank(hash, least);
    words++;
  }
  return { like: sketchOf(least), numbers: hasNumbers ? numbersText(one, other) : "", words };
}
