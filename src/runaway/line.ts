import { type CharacterClass, DIGIT_CHAR, GLYPH, LETTER_CHAR, NEWLINE, setOf } from "../text/characters.ts";
import { DATA, END, NEUTRAL, SPEECH, STRUCTURE, type UnitKind } from "./tail.ts";

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
function endsCode({ text }: MarkRun): boolean {
  return CODE_END.test(text);
}

/** Brackets and braces that it opens, less those that it closes. */
function openedBy({ text }: MarkRun): number {
  return (text.match(/[[{]/g)?.length ?? 0) - (text.match(/[\]}]/g)?.length ?? 0);
}

/**
 * It stands between data or parts of code rather than in a sentence.
 * @param next class of the character after it
 */
function isDataMark(run: MarkRun, next: CharacterClass): boolean {
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

/** A run that opens or closes a code fence, as in CommonMark. */
const FENCE = /^(?:`{3,}|~{3,})$/;

/** Code fence tracker: whether a text is within one. */
class Fence {
  #open = "";
  #isFirstLine = false;

  isOpen(): boolean {
    return this.#open !== "";
  }

  /** Takes the next run of punctuation; true: it opens or closes the fence. */
  take({ text }: MarkRun, place: { readonly startsLine: boolean; readonly endsWord: boolean }): boolean {
    // Backticks further on in the line that opened it: that was code within a sentence.
    if (this.#isFirstLine && text.endsWith("`")) this.#open = "";
    if (!FENCE.test(text) || !place.startsLine) return false;
    if (!this.isOpen()) {
      this.#open = text;
      this.#isFirstLine = true;
      return true;
    }
    if (!text.startsWith(this.#open) || !place.endsWord) return false;
    this.#open = "";
    return true;
  }

  newline(): void {
    this.#isFirstLine = false;
  }

  reset(): void {
    this.#open = "";
    this.#isFirstLine = false;
  }
}

/** Where in a line the text is, and what its pieces are there: something said, or part of a structure. */
export interface Line {
  /** `next`: class of the character that ended the run. */
  marks(run: MarkRun, next: CharacterClass): UnitKind;
  /** Of a run too long for punctuation: asked again at each of its characters. */
  longMarks(run: MarkRun): UnitKind;
  word(length: number, isNumber: boolean): UnitKind;
  glyph(code: number): UnitKind;
  blank(code: number): void;
  newline(): void;
  /** Another text begins: one that is data through and through, or one to be read. */
  begin(isData: boolean): void;
  /** Nothing has been said on this line, and it is in no fence. */
  isFresh(): boolean;
  /** In a fence or a table's row, where blanks are set on purpose. */
  isLaidOut(): boolean;
}

/** Blanks between two columns. */
const GAP = 3;
const TAB = 0x09;
/** No divider is wider, in characters, be it the one under a table's head. */
const WIDEST_DIVIDER = 1_000;
/** No picture of emoji is wider, in UTF-16 units. */
const WIDEST_PICTURE = 100;
/** Digits of a list's highest number. */
const ENUMERATOR_DIGITS = 4;

const DIVIDERS = setOf("-=*_~#+.:^/\\|<>·•…");
/** Punctuation that a sentence may begin with; any other before a blank marks a list, a heading or a quote. */
const OPENING = setOf("\"'“”‘’„«»‹›(.…,!?¡¿「」『』（）《》〈〉。、，！？—$\\");
/** What ends a sentence before a blank, at a line's end, and wherever it stands. */
const ENDS = setOf(".!?…।؟");
const ENDS_LINE = setOf(":：");
const ENDS_UNSPACED = setOf("。！？");
const AFTER_ENUMERATOR = setOf(".)]、）．");

export function newLine(): Line {
  const fence = new Fence();
  let head: "start" | "enumerator" | "text" = "start";
  let isRow = false;
  let isData = false;
  let blanks = 0;
  let picture = 0;
  // Open brackets: what commas separate within them are the elements of a list, on however many lines.
  let depth = 0;

  function isCell(): boolean {
    const isAfterGap = head === "text" && blanks >= GAP;
    blanks = 0;
    return isAfterGap;
  }

  function isMarker(run: MarkRun, next: CharacterClass): boolean {
    if (head === "text") return false;
    if (head === "enumerator") {
      const isPoint = run.length === 1 && next <= NEWLINE && AFTER_ENUMERATOR.has(first(run));
      head = isPoint ? "start" : "text";
      return isPoint;
    }
    return isBullet(first(run)) || (next <= NEWLINE && !OPENING.has(first(run)));
  }

  function spoken(): UnitKind {
    const isPart = isCell() || isData || fence.isOpen();
    return isPart ? STRUCTURE : SPEECH;
  }

  function isElement(run: MarkRun): boolean {
    const isWithin = depth > 0;
    depth = Math.max(0, depth + openedBy(run));
    return isWithin && run.text.endsWith(",");
  }

  function newline(): void {
    // A blank line ends what was left open.
    if (head === "start") depth = 0;
    head = "start";
    isRow = false;
    blanks = 0;
    picture = 0;
    fence.newline();
  }

  return {
    marks(run, next) {
      const isPart = spoken() === STRUCTURE;
      if (fence.take(run, { startsLine: head === "start", endsWord: next <= NEWLINE })) return STRUCTURE;
      const marker = isMarker(run, next);
      isRow ||= run.text.includes("|");
      const element = isElement(run);
      if (!isPart && !marker && endsSentence(first(run), next)) return END;
      if (isPart || marker || isRow || (next === NEWLINE && endsCode(run))) return STRUCTURE;
      return element || isDataMark(run, next) ? DATA : NEUTRAL;
    },
    longMarks(run) {
      isRow ||= run.text.includes("|");
      if (isData || fence.isOpen()) return STRUCTURE;
      const isPlaced = head === "start" || isRow;
      return isPlaced && isDividing(run.text.charCodeAt(run.text.length - 1)) && run.length <= WIDEST_DIVIDER
        ? STRUCTURE
        : SPEECH;
    },
    word(length, isNumber) {
      const kind = spoken();
      const canCount = length <= (isNumber ? ENUMERATOR_DIGITS : 1);
      head = head === "start" && canCount ? "enumerator" : "text";
      return isNumber && kind === SPEECH ? NEUTRAL : kind;
    },
    glyph(code) {
      const kind = spoken();
      // Emoji before any word: a bullet, or a line of a picture.
      if (head === "start" && isEmoji(code) && ++picture <= WIDEST_PICTURE) return STRUCTURE;
      head = "text";
      return kind;
    },
    blank(code) {
      blanks += code === TAB ? GAP : 1;
    },
    newline,
    begin(data) {
      newline();
      depth = 0;
      fence.reset();
      isData = data;
    },
    isFresh: () => head === "start" && !fence.isOpen(),
    isLaidOut: () => isRow || fence.isOpen(),
  };
}

const first = ({ text }: MarkRun): number => text.charCodeAt(0);

function endsSentence(code: number, next: CharacterClass): boolean {
  if (ENDS_UNSPACED.has(code)) return true;
  return next <= NEWLINE && (ENDS.has(code) || (next === NEWLINE && ENDS_LINE.has(code)));
}

/** Bullets, arrows, check marks: they need no blank after them. */
function isBullet(code: number): boolean {
  const isSymbol = code >= 0x2190 && code < 0x2c00;
  return isSymbol || code === 0x2022 || code === 0x2023 || code === 0x2043 || code === 0x30fb || code === 0xb7;
}

/** By its surrogates. */
function isEmoji(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

function isDividing(code: number): boolean {
  return DIVIDERS.has(code) || (code >= 0x2500 && code < 0x25a0);
}
