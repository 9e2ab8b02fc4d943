import { alternatives } from "../languages/languages.ts";
import type { Token } from "./token.ts";
import { codeUnits } from "./code-units.ts";

const SCORE =
  /^\s?(?:tests?\s)?(?:failed|passed|failing|passing|failures?|errors?|warnings?|problems?|issues?|violations?)\b/i;
const SCORED = new RegExp(String.raw`(?:${alternatives("tally")})["']?\s?[:=]\s?$`, "i");

/** By character: a set is asked several times as slowly. */
function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(0x10000);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

const FIRST_LETTERS = codesOf("tfpewivTFPEWIV");
const LAST_LETTERS = codesOf("dgesrinкилеDGESRINКИ敗败패");
const MARKS = codesOf(" :=\"'");
const BLANK = 0x20;
const COLON = 0x3a;
const EQUALS = 0x3d;

/**
 * How many failed, how many passed: a number that says how far one has got, whatever else is told.
 * @param text whose units were read last
 */
export function isScore(text: string, from: number, { end, sort }: Token): boolean {
  if (sort !== "whole") return false;
  // A colon or an equals sign, a blank between or none: what is counted may stand before its number.
  if (isMarked(from)) return endsScore(from) && SCORED.test(text.slice(Math.max(0, from - 24), from));
  // A blank, and then one of the letters that the words begin with.
  if (codeUnits[end] !== BLANK || FIRST_LETTERS[codeUnits[end + 1] ?? 0] !== 1) return false;
  return SCORE.test(text.slice(end, end + 20));
}

function isMarked(from: number): boolean {
  const before = from > 0 ? codeUnits[from - 1] : 0;
  return before === COLON || before === EQUALS || (before === BLANK && from > 1 && codeUnits[from - 2] === COLON);
}

/** The last letter before the mark: an expression for each number of a table would cost more than the rest of it. */
function endsScore(from: number): boolean {
  let at = from - 1;
  while (at > Math.max(0, from - 5) && MARKS[codeUnits[at] ?? 0] === 1) at--;
  return LAST_LETTERS[codeUnits[at] ?? 0] === 1;
}
