import {
  type CharacterClass,
  classOf,
  DIGIT_CHAR,
  GLYPH,
  LETTER_CHAR,
  MARK,
  NEWLINE,
  setOf,
} from "../text/characters.ts";
import { HASH_SEED, hashUnit } from "../text/hash.ts";
import { type MarkRun, newLine } from "./line.ts";
import { SPEECH, STRUCTURE, type Unit, type UnitKind } from "./tail.ts";

/** Where units go. */
export interface UnitSink {
  /** `value`: the number that it is, or `NO_NUMBER`. */
  unit(unit: Unit, value: number): void;
  newline(): void;
  /** So many blanks and newlines in a row, one more just now; laid out: in a fence or a table's row. */
  blanks(count: number, areLaidOut: boolean): void;
}

export const NO_NUMBER = -1;

/** Tokeniser: cuts a text into units, one character (UTF-16 unit) at a time, in bounded memory. */
export interface UnitReader {
  push(code: number): void;
  /** Another text begins here: data, or one to be read. */
  begin(isData: boolean): void;
  /** Nothing has been said yet on this line, and it is in no fence. */
  isFresh(): boolean;
}

/** No word is longer, in characters: what goes on without a break is read letter by letter. */
const LONGEST_WORD = 24;

/** Sizes in quarters of a token, about as present tokenizers cut. */
const WHOLE = 4;
const OF_GLYPH = 3;
const OF_LETTER = 1;

const APOSTROPHES = setOf("'’");

export function unitReader(sink: UnitSink): UnitReader {
  const line = newLine();
  // The word or run of punctuation that is growing: its end, and how long it is.
  let piece = "";
  let length = 0;
  let isMarks = false;
  let pieceBefore: CharacterClass = NEWLINE;
  let isCommand = false;
  let isAfterCommand = false;
  let spelledAs: UnitKind = SPEECH;
  let previous: CharacterClass = NEWLINE;
  let offset = 0;
  let blanks = 0;

  const run = (): MarkRun => ({ text: piece, length, previous: pieceBefore, isAfterCommand });

  function grow(code: number, asMarks: boolean, what: CharacterClass): void {
    if (length === 0 || isMarks !== asMarks) {
      const endsInBackslash = isMarks && piece.endsWith("\\");
      finish(what);
      isMarks = asMarks;
      pieceBefore = previous;
      isCommand = !asMarks && previous === MARK && endsInBackslash;
      piece = "";
    }
    piece += String.fromCharCode(lowered(code));
    if (++length > LONGEST_WORD) spell();
  }

  /** The piece is no word any more: its letters count one by one, those that came before too. */
  function spell(): void {
    const isFirst = length === LONGEST_WORD + 1;
    if (isMarks) spelledAs = line.longMarks(run());
    else if (isFirst) spelledAs = line.word(length, false) === STRUCTURE ? STRUCTURE : SPEECH;
    const count = isFirst ? length : 1;
    for (let i = count; i > 0; i--) single(piece.charCodeAt(piece.length - i), offset + 1 - i, spelledAs, OF_LETTER);
    piece = piece.slice(-LONGEST_WORD);
  }

  function single(code: number, start: number, kind: UnitKind, quarters: number): void {
    sink.unit({ hash: hashed(0, code), start, end: start + 1, kind, quarters }, NO_NUMBER);
  }

  function finish(next: CharacterClass): void {
    if (length > 0 && length <= LONGEST_WORD) {
      const isDigits = /^\d+$/.test(piece);
      const kind = isMarks ? line.marks(run(), next) : line.word(length, classOf(piece.charCodeAt(0)) === DIGIT_CHAR);
      let hash = 0;
      for (let i = 0; i < piece.length; i++) hash = hashed(hash, piece.charCodeAt(i));
      sink.unit(
        { hash, start: offset - length, end: offset, kind, quarters: WHOLE },
        isDigits ? Number(piece) : NO_NUMBER,
      );
    }
    if (!isMarks && length > 0) isAfterCommand = isCommand;
    length = 0;
  }

  function skip(code: number, what: CharacterClass): void {
    finish(what);
    if (what === NEWLINE) {
      line.newline();
      sink.newline();
    } else line.blank(code);
    sink.blanks(++blanks, line.isLaidOut());
  }

  return {
    push(code) {
      const isWithinWord = length > 0 && !isMarks && APOSTROPHES.has(code);
      const what = isWithinWord ? LETTER_CHAR : classOf(code);
      if (what > NEWLINE) blanks = 0;
      if (what <= NEWLINE) skip(code, what);
      else if (what === GLYPH) {
        finish(GLYPH);
        single(code, offset, line.glyph(code), OF_GLYPH);
      } else grow(code, what === MARK, what);
      previous = what;
      offset++;
    },
    begin(isData) {
      finish(NEWLINE);
      line.begin(isData);
      previous = NEWLINE;
    },
    isFresh: () => length === 0 && line.isFresh(),
  };
}

/** In ASCII. */
function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** The high bits folded down: the low ones are looked at first. */
function hashed(hash: number, code: number): number {
  const mixed = hashUnit(hash ^ HASH_SEED, code);
  return mixed ^ (mixed >>> 15);
}
