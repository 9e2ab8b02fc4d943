import { type CharacterClass, classOf, DIGIT_CHAR, GLYPH, LETTER_CHAR, MARK, NEWLINE } from "../text/characters.ts";
import { newLine } from "./line.ts";
import { type MarkRun, markRun } from "./marks.ts";
import { NEUTRAL, SPEECH, STRUCTURE, type Unit, type UnitKind } from "./tail.ts";

/** Where units go. The unit given is overwritten by the next one. */
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
  /** Goes on with the word that is growing, if one is: all at once the letters that `text` has from `at` on; gives where they end. */
  word(text: string, at: number): number;
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

const APOSTROPHE = 0x27;
const CURLY_APOSTROPHE = 0x2019;

export function unitReader(sink: UnitSink): UnitReader {
  const line = newLine();
  const unit: Unit = { hash: 0, start: 0, end: 0, kind: NEUTRAL, quarters: 0 };
  const marks: MarkRun = markRun();
  const spelling = new Uint16Array(LONGEST_WORD);
  // The word or run of punctuation that is growing; a length of 0: there is none.
  let sort: typeof LETTER_CHAR | typeof MARK = LETTER_CHAR;
  let length = 0;
  let hash = 0;
  let value = NO_NUMBER;
  let isNumber = false;
  let isCommand = false;
  let spelledAs: UnitKind = SPEECH;
  let previous: CharacterClass = NEWLINE;
  let offset = 0;
  let blanks = 0;

  function emit(unitHash: number, start: number, end: number, kind: UnitKind, quarters: number): void {
    unit.hash = unitHash;
    unit.start = start;
    unit.end = end;
    unit.kind = kind;
    unit.quarters = quarters;
    sink.unit(unit, quarters === WHOLE ? value : NO_NUMBER);
  }

  function open(as: typeof LETTER_CHAR | typeof MARK, what: CharacterClass): void {
    finish(what);
    sort = as;
    hash = 0;
    isNumber = what === DIGIT_CHAR;
    value = isNumber ? 0 : NO_NUMBER;
    if (as === MARK) marks.begin(previous);
    else isCommand = previous === MARK && marks.endsInBackslash();
  }

  function letter(code: number, what: CharacterClass): void {
    if (sort !== LETTER_CHAR || length === 0) open(LETTER_CHAR, what);
    if (value !== NO_NUMBER) value = what === DIGIT_CHAR ? value * 10 + (code & 15) : NO_NUMBER;
    grow(lowered(code));
  }

  function mark(code: number): void {
    if (sort !== MARK || length === 0) open(MARK, MARK);
    marks.add(code);
    grow(code);
  }

  function grow(code: number): void {
    hash = hashed(hash, code);
    if (length < LONGEST_WORD) spelling[length++] = code;
    else spell(code);
  }

  /** The piece is no word any more: its letters count one by one, those that came before too. */
  function spell(code: number): void {
    const isFirst = length++ === LONGEST_WORD;
    if (sort === MARK) spelledAs = line.longMarks(marks);
    else if (isFirst) spelledAs = line.word(length, false) === STRUCTURE ? STRUCTURE : SPEECH;
    for (let i = 0; isFirst && i < LONGEST_WORD; i++) {
      single(spelling[i] ?? 0, offset - LONGEST_WORD + i, spelledAs, OF_LETTER);
    }
    single(code, offset, spelledAs, OF_LETTER);
  }

  function single(code: number, start: number, kind: UnitKind, quarters: number): void {
    emit(hashed(0, code), start, start + 1, kind, quarters);
  }

  function finish(next: CharacterClass): void {
    if (length > 0 && length <= LONGEST_WORD) {
      const kind = sort === MARK ? line.marks(marks, next) : line.word(length, isNumber);
      emit(hash, offset - length, offset, kind, WHOLE);
    }
    if (sort === LETTER_CHAR && length > 0) marks.follow(isCommand);
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

  function glyph(code: number): void {
    finish(GLYPH);
    single(code, offset, line.glyph(code), OF_GLYPH);
  }

  function sortOf(code: number): CharacterClass {
    const isWithinWord = length > 0 && sort === LETTER_CHAR && (code === APOSTROPHE || code === CURLY_APOSTROPHE);
    return isWithinWord ? LETTER_CHAR : classOf(code);
  }

  return {
    push(code) {
      const what = sortOf(code);
      if (what <= NEWLINE) skip(code, what);
      else {
        blanks = 0;
        if (what === MARK) mark(code);
        else if (what === GLYPH) glyph(code);
        else letter(code, what);
      }
      previous = what;
      offset++;
    },
    word(text, from) {
      if (sort !== LETTER_CHAR || length === 0) return from;
      let at = from;
      for (; at < text.length && length < LONGEST_WORD; at++) {
        const code = text.charCodeAt(at);
        if (classOf(code) !== LETTER_CHAR) break;
        const letter = lowered(code);
        hash = hashed(hash, letter);
        spelling[length++] = letter;
      }
      if (at === from) return from;
      value = NO_NUMBER;
      previous = LETTER_CHAR;
      offset += at - from;
      return at;
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

/** One step of FNV-1a, its high bits folded down: the low ones are looked at first. */
function hashed(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code ^ 0x811c9dc5, 0x01000193);
  return mixed ^ (mixed >>> 15);
}
