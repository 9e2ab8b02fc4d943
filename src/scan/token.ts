import { GAP, SMALL, UNSPACED } from "./char-class.ts";
import type { NumberSort } from "./number-token.ts";
import { codeUnits } from "./code-units.ts";
import { multipleAt } from "./unit.ts";
import {
  DIGIT,
  DIGITS_ALONE,
  EMPTY_HASH,
  ends,
  hashes,
  isGapAt,
  letterIn,
  SPACELESS,
  starts,
  traits,
  withUnit,
} from "./word-scan.ts";

/**
 * A token: a word, or several that a hyphen joins, or a number with its points. One object for all tokens of a text: one for each
 * would cost as much as reading it.
 */
export interface Token {
  end: number;
  /** Where its number ends: a unit, or what is counted, may stand right behind it. */
  numberEnd: number;
  hash: number;
  sort: NumberSort;
  hasDigit: boolean;
  isUnspaced: boolean;
}

/** In units. */
export const LONGEST_TOKEN = 128;

/** Reads the token that begins in a word of the last scan: as a rule it is the word. */
export function readToken(from: number, word: number, token: Token): void {
  const end = ends[word] ?? 0;
  const kind = traits[word] ?? 0;
  const isWord =
    from === starts[word] &&
    end - from < LONGEST_TOKEN &&
    (kind & SPACELESS) === 0 &&
    ((kind & DIGIT) === 0 || (kind & DIGITS_ALONE) !== 0) &&
    !joins(end, codeUnits[end] ?? 0);
  if (!isWord) {
    readUnitByUnit(from, token);
    return;
  }
  token.end = end;
  token.numberEnd = end;
  token.hash = hashes[word] ?? 0;
  token.hasDigit = (kind & DIGIT) !== 0;
  token.isUnspaced = false;
  token.sort = (kind & DIGITS_ALONE) === 0 ? "name" : "whole";
}

/** The same for any token. */
export function readUnitByUnit(from: number, token: Token): void {
  let hash = EMPTY_HASH;
  let digits = 0;
  let letters = 0;
  let leading = 0;
  let isAbroad = false;
  token.isUnspaced = false;
  let i = from;
  for (; i - from < LONGEST_TOKEN; i++) {
    const code = codeUnits[i] ?? 0;
    let small = code;
    if (code < 0x80) small = SMALL[code] ?? 0;
    else {
      const letter = letterIn(i);
      if (letter === GAP) small = 0;
      else isAbroad = true;
      if (letter === UNSPACED) token.isUnspaced = true;
    }
    if (small === 0 && !joins(i, code)) break;
    if (small >= 0x30 && small <= 0x39) {
      // Words of scripts without blanks, and endings of others, stand on both sides of a number.
      if (i > from && (codeUnits[i - 1] ?? 0) >= 0x80) break;
      digits++;
    } else if (small !== 0 || code === 0x2d) letters++;
    if (letters === 0) leading = i + 1 - from;
    hash = withUnit(hash, small === 0 ? code : small);
  }
  token.end = i;
  token.hash = hash;
  token.hasDigit = digits > 0;
  const rest = from + leading;
  const counts = leading > 0 && (letters === 0 || (isAbroad && !hasDigit(rest, i)) || multipleAt(rest, i) > 0);
  token.numberEnd = counts ? rest : i;
  token.sort = !counts ? "name" : digits === leading ? "whole" : "decimal";
}

function hasDigit(from: number, end: number): boolean {
  for (let i = from; i < end; i++) if (isDigit(codeUnits[i] ?? 0) || codeUnits[i] === 0x2d) return true;
  return false;
}

/** A hyphen inside a name, a point or a comma inside a number. */
function joins(i: number, code: number): boolean {
  if (code === 0x2d) return !isGapAt(i + 1);
  return (code === 0x2e || code === 0x2c) && isDigit(codeUnits[i - 1] ?? 0) && isDigit(codeUnits[i + 1] ?? 0);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
