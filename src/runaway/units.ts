import { CLASS, type CharacterClass, classOf } from "../text/characters.ts";
import { hashText } from "../text/hash.ts";
import { type MarkRun, newLine } from "./line.ts";
import type { Unit, UnitKind } from "./tail.ts";

interface UnitSink {
  /** @param value the number that it is, if it is one */
  unit(unit: Unit, value: number | undefined): void;
  newline(): void;
  /** @param count in a row, newlines too @param areLaidOut in a fence or a table's row */
  blanks(count: number, areLaidOut: boolean): void;
}

export type UnitReader = ReturnType<typeof unitReader>;

/** What goes on without a break is read letter by letter. */
const LONGEST_WORD = 24;

/** Sizes in quarters of a token, about as present tokenizers cut. */
const WHOLE = 4;
const OF_GLYPH = 3;
const OF_LETTER = 1;

/** Tokeniser: cuts a text into units, one character (UTF-16 unit) at a time, in bounded memory. */
export function unitReader(sink: UnitSink) {
  const line = newLine();
  // The word or run of punctuation that is growing: its end, and how long it is.
  let [piece, length, isMarks] = ["", 0, false];
  let pieceBefore: CharacterClass = CLASS.newline;
  let previous: CharacterClass = CLASS.newline;
  let [isCommand, isAfterCommand] = [false, false];
  let spelledAs: UnitKind = "speech";
  let [offset, blanks] = [0, 0];

  const run = (): MarkRun => ({ text: piece, length, previous: pieceBefore, isAfterCommand });

  function grow(char: string, what: CharacterClass): void {
    const asMarks = what === CLASS.mark;
    if (length === 0 || isMarks !== asMarks) {
      const endsInBackslash = isMarks && piece.endsWith("\\");
      finish(what);
      isMarks = asMarks;
      pieceBefore = previous;
      isCommand = !asMarks && previous === CLASS.mark && endsInBackslash;
      piece = "";
    }
    piece += char < "{" ? char.toLowerCase() : char;
    if (++length > LONGEST_WORD) spell();
  }

  /** The piece is no word any more: its letters count one by one, those that came before too. */
  function spell(): void {
    const isFirst = length === LONGEST_WORD + 1;
    if (isMarks) spelledAs = line.longMarks(run());
    else if (isFirst) spelledAs = line.word(length, false) === "structure" ? "structure" : "speech";
    const count = isFirst ? length : 1;
    for (let i = count; i > 0; i--) single(piece.charAt(piece.length - i), offset + 1 - i, spelledAs, OF_LETTER);
    piece = piece.slice(-LONGEST_WORD);
  }

  function single(char: string, start: number, kind: UnitKind, quarters: number): void {
    sink.unit({ hash: hashText(char), start, end: start + 1, kind, quarters }, undefined);
  }

  /** @param next class of the character behind the piece */
  function finish(next: CharacterClass): void {
    if (length > 0 && length <= LONGEST_WORD) {
      const kind = isMarks ? line.marks(run(), next) : line.word(length, classOf(piece.charCodeAt(0)) === CLASS.digit);
      const unit = { hash: hashText(piece), start: offset - length, end: offset, kind, quarters: WHOLE };
      sink.unit(unit, /^\d+$/.test(piece) ? Number(piece) : undefined);
    }
    if (!isMarks && length > 0) isAfterCommand = isCommand;
    length = 0;
  }

  function skip(char: string, what: CharacterClass): void {
    finish(what);
    if (what === CLASS.newline) {
      line.newline();
      sink.newline();
    } else line.blank(char);
    sink.blanks(++blanks, line.isLaidOut());
  }

  return {
    push(char: string): void {
      const isWithinWord = length > 0 && !isMarks && /['’]/.test(char);
      const what = isWithinWord ? CLASS.letter : classOf(char.charCodeAt(0));
      if (what === CLASS.blank || what === CLASS.newline) skip(char, what);
      else blanks = 0;
      if (what === CLASS.glyph) {
        finish(what);
        single(char, offset, line.glyph(char), OF_GLYPH);
      } else if (what !== CLASS.blank && what !== CLASS.newline) grow(char, what);
      previous = what;
      offset++;
    },
    begin(isData: boolean): void {
      finish(CLASS.newline);
      line.begin(isData);
      previous = CLASS.newline;
    },
    /** Nothing has been said yet on this line, and it is in no fence. */
    isFresh: () => length === 0 && line.isFresh(),
  };
}
