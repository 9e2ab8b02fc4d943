import { type CharacterClass, DIGIT_CHAR, GLYPH, LETTER_CHAR, NEWLINE } from "../text/characters.ts";

/** A run of punctuation in its place. Of a long one `text` is the end. */
export interface MarkRun {
  readonly text: string;
  readonly length: number;
  /** Class of the character right before it. */
  readonly previous: CharacterClass;
  /** It follows a command as in TeX: a word that a backslash stands before. */
  readonly isAfterCommand: boolean;
}

const CODE_END = /[;{>]$|["'})\]],$/;
/** A quotation mark as JSON sets it: `{"`, `["`, `":`, `"}`, `"]`. */
const JSON_QUOTE = /[{[]"|"[:}\]]/;
const TAG = /<\/?$/;
/** A brace behind other marks than TeX has. */
const BLOCK = /[^_^}\\$]\{$/;
const CELL_END = /^(["'])[,;]\1$/;

/** It ends a line as only code does. */
export function endsCode({ text }: MarkRun): boolean {
  return CODE_END.test(text);
}

/** Brackets and braces that it opens, less those that it closes. */
export function openedBy({ text }: MarkRun): number {
  return (text.match(/[[{]/g)?.length ?? 0) - (text.match(/[\]}]/g)?.length ?? 0);
}

/**
 * It stands between data or parts of code rather than in a sentence.
 * @param next class of the character after it
 */
export function isDataMark(run: MarkRun, next: CharacterClass): boolean {
  const { text, previous, isAfterCommand } = run;
  const opensBlock = (text.startsWith("{") && !(isAfterCommand && previous === LETTER_CHAR)) || BLOCK.test(text);
  return JSON_QUOTE.test(text) || (next === LETTER_CHAR && TAG.test(text)) || opensBlock || separatesCells(run, next);
}

/** As between the cells of a row, quoted or not. Within a number, or between glyphs, a comma is just a comma. */
function separatesCells({ text, previous }: MarkRun, next: CharacterClass): boolean {
  if (CELL_END.test(text)) return true;
  if (!/^[,;]$/.test(text) || previous <= NEWLINE || next <= NEWLINE) return false;
  return previous !== GLYPH && next !== GLYPH && !(previous === DIGIT_CHAR && next === DIGIT_CHAR);
}
