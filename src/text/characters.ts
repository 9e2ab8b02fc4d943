/** Classes of UTF-16 units. `glyph`: a word or a syllable in itself, as Han, kana, emoji are. `mark`: punctuation and symbols. */
export const CLASS = { mark: 0, blank: 1, newline: 2, letter: 3, digit: 4, glyph: 5 } as const;
export type CharacterClass = (typeof CLASS)[keyof typeof CLASS];

/** All others are marks. */
const CLASSES: readonly (readonly [CharacterClass, RegExp])[] = [
  [CLASS.blank, /[\t\v\f\r \u00a0\u2000-\u200a\u202f\u205f\u3000]+/g],
  [CLASS.newline, /[\n\u2028\u2029]+/g],
  [
    CLASS.letter,
    /[A-Za-z\u00aa\u00b5\u00c0-\u00d6\u00d8-\u060b\u060d-\u061a\u0620-\u0669\u066e-\u0963\u0966-\u1fff\u2c00-\u2dff\ua000-\ud7ff\ufb00-\ufdff\ufe70-\ufefe\uff21-\uff3a\uff41-\uff5a]+/g,
  ],
  [CLASS.digit, /[0-9\uff10-\uff19]+/g],
  [CLASS.glyph, /[\u2e80-\u2fff\u3041-\u30fa\u30fc-\u9fff\ud800-\udfff\uf900-\ufaff\uff66-\uffdf]+/g],
];

const BY_UNIT = byUnit();

/** To try expressions on each character would take longer than all else that is done with it. */
function byUnit(): Uint8Array {
  const classes = new Uint8Array(65_536);
  const units = Array.from(classes, (_, unit) => String.fromCharCode(unit)).join("");
  for (const [what, pattern] of CLASSES)
    for (const { index, 0: run } of units.matchAll(pattern)) classes.fill(what, index, index + run.length);
  return classes;
}

export function classOf(unit: number): CharacterClass {
  return (BY_UNIT[unit] ?? CLASS.mark) as CharacterClass;
}
