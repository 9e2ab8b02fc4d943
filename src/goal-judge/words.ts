/** A text as its words, in lower case, with a blank around each: `browser_fillForm` is " browser fill form ". */
export function goalWords(text: string): string {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return ` ${apart.replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
}

/** @param words as `wordsIn` gives them */
export function hasPhrase(words: string, phrase: string): boolean {
  // Scripts that put no blanks between words are searched as they are.
  return /^[\x20-\x7e]+$/.test(phrase) ? words.includes(goalWords(phrase)) : words.includes(phrase.toLowerCase());
}
