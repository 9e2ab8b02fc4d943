/** Class of a UTF-16 unit. */
export type CharacterClass = 0 | 1 | 2 | 3 | 4 | 5;

export const BLANK_CHAR = 0;
export const NEWLINE = 1;
/** Part of a word. */
export const LETTER_CHAR = 2;
export const DIGIT_CHAR = 3;
/** Punctuation and symbols. */
export const MARK = 4;
/** A word or a syllable in itself: Han, kana, emoji (by UTF-16 unit). */
export const GLYPH = 5;

const ASCII = new Uint8Array(128).fill(MARK);
for (const code of [9, 11, 12, 13, 32]) ASCII[code] = BLANK_CHAR;
ASCII[10] = NEWLINE;
for (let code = 48; code <= 57; code++) ASCII[code] = DIGIT_CHAR;
for (let code = 65; code <= 90; code++) {
  ASCII[code] = LETTER_CHAR;
  ASCII[code + 32] = LETTER_CHAR;
}

/** First code of each range beyond ASCII, and what is from there on. */
const RANGES: readonly (readonly [number, CharacterClass])[] = [
  [0x80, MARK],
  [0xa0, BLANK_CHAR],
  [0xa1, MARK],
  [0xaa, LETTER_CHAR],
  [0xab, MARK],
  [0xb5, LETTER_CHAR],
  [0xb6, MARK],
  [0xc0, LETTER_CHAR],
  [0xd7, MARK],
  [0xd8, LETTER_CHAR],
  [0x60c, MARK],
  [0x60d, LETTER_CHAR],
  [0x61b, MARK],
  [0x620, LETTER_CHAR],
  [0x66a, MARK],
  [0x66e, LETTER_CHAR],
  [0x964, MARK],
  [0x966, LETTER_CHAR],
  [0x2000, BLANK_CHAR],
  [0x200b, MARK],
  [0x2028, NEWLINE],
  [0x202a, MARK],
  [0x202f, BLANK_CHAR],
  [0x2030, MARK],
  [0x205f, BLANK_CHAR],
  [0x2060, MARK],
  [0x2c00, LETTER_CHAR],
  [0x2e00, MARK],
  [0x2e80, GLYPH],
  [0x3000, BLANK_CHAR],
  [0x3001, MARK],
  [0x3041, GLYPH],
  [0x30fb, MARK],
  [0x30fc, GLYPH],
  [0xa000, LETTER_CHAR],
  [0xd800, GLYPH],
  [0xe000, MARK],
  [0xf900, GLYPH],
  [0xfb00, LETTER_CHAR],
  [0xfe00, MARK],
  [0xfe70, LETTER_CHAR],
  [0xfeff, MARK],
  [0xff10, DIGIT_CHAR],
  [0xff1a, MARK],
  [0xff21, LETTER_CHAR],
  [0xff3b, MARK],
  [0xff41, LETTER_CHAR],
  [0xff5b, MARK],
  [0xff66, GLYPH],
  [0xffe0, MARK],
];

const CLASSES = new Uint8Array(65_536);
CLASSES.set(ASCII);
RANGES.forEach(([from, what], i) => {
  CLASSES.fill(what, from, RANGES[i + 1]?.[0] ?? CLASSES.length);
});

/** Class of a UTF-16 unit. */
export function classOf(code: number): CharacterClass {
  return (CLASSES[code] ?? MARK) as CharacterClass;
}

export function setOf(characters: string): ReadonlySet<number> {
  return new Set([...characters].map((character) => character.charCodeAt(0)));
}
