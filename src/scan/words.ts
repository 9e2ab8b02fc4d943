import { GAP, letterAt, UNSPACED } from "./char-class.ts";

/** How much a text says, in words. Chinese and Japanese are written without spaces: two characters make a word there. */
export function countWords(text: string): number {
  let count = 0;
  let length = 0;
  let isUnspaced = false;
  for (let i = 0; i <= text.length; i++) {
    const letter = i < text.length ? letterAt(text, i) : GAP;
    if (letter !== GAP) {
      length++;
      if (letter === UNSPACED) isUnspaced = true;
    } else if (length > 0) {
      count += isUnspaced ? Math.ceil(length / 2) : 1;
      length = 0;
      isUnspaced = false;
    }
  }
  return count;
}
