import { CLASS, type CharacterClass } from "../text/characters.ts";
import type { UnitKind } from "./tail.ts";

/** A run of punctuation in its place. Of a long one `text` is the end. */
export interface MarkRun {
  readonly text: string;
  readonly length: number;
  readonly previous: CharacterClass;
  /** It follows a command as in TeX: a word that a backslash stands before. */
  readonly isAfterCommand: boolean;
}

const FENCE = /^(?:`{3,}|~{3,})$/;
const DIVIDER = /[-=*_~#+.:^/\\|<>·•…\u2500-\u259f]$/;
/** Bullets, arrows, check marks: they need no blank after them. */
const BULLET = /^[\u2190-\u2bff•‣⁃・·]/;
/** Punctuation that a sentence may begin with; any other before a blank marks a list, a heading or a quote. */
const OPENING = /^["'“”‘’„«»‹›(.…,!?¡¿「」『』（）《》〈〉。、，！？—$\\]/;
const AFTER_ENUMERATOR = /^[.)\]、）．]/;
/** What ends a sentence before a blank, at a line's end, and wherever it stands. */
const ENDS = /^[.!?…।؟]/;
const ENDS_LINE = /^[:：]/;
const ENDS_UNSPACED = /^[。！？]/;
const CODE_END = /[;{>]$|["'})\]],$/;
/** A quotation mark as JSON sets it: `{"`, `["`, `":`, `"}`, `"]`. */
const JSON_QUOTE = /[{[]"|"[:}\]]/;
const TAG = /<\/?$/;
const BLOCK = /[^_^}\\$]\{$/;
const CELL_END = /^(["'])[,;]\1$/;

const GAP = 3;
/** In characters, and of emoji in UTF-16 units. */
const WIDEST_DIVIDER = 1_000;
const WIDEST_PICTURE = 100;
const ENUMERATOR_DIGITS = 4;

const isSpace = (what: CharacterClass): boolean => what === CLASS.blank || what === CLASS.newline;

function endsSentence({ text }: MarkRun, next: CharacterClass): boolean {
  return (
    ENDS_UNSPACED.test(text) || (isSpace(next) && ENDS.test(text)) || (next === CLASS.newline && ENDS_LINE.test(text))
  );
}

/** It stands between data or parts of code rather than in a sentence. */
function isDataMark({ text, previous, isAfterCommand }: MarkRun, next: CharacterClass): boolean {
  const opensBlock = text.startsWith("{") && !(isAfterCommand && previous === CLASS.letter);
  if (opensBlock || BLOCK.test(text) || JSON_QUOTE.test(text) || CELL_END.test(text)) return true;
  if (next === CLASS.letter && TAG.test(text)) return true;
  // As between the cells of a row. Within a number, or between glyphs, a comma is just a comma.
  if (!/^[,;]$/.test(text) || isSpace(previous) || isSpace(next)) return false;
  return previous !== CLASS.glyph && next !== CLASS.glyph && !(previous === CLASS.digit && next === CLASS.digit);
}

/** What the pieces of a line are in their places: something said, or part of a structure. */
export function newLine() {
  let fence = "";
  let isFenceLine = false;
  let head: "start" | "enumerator" | "text" = "start";
  let isRow = false;
  let isData = false;
  let [blanks, picture] = [0, 0];
  // Open brackets: what commas separate within them are the elements of a list, on however many lines.
  let depth = 0;

  function spoken(): UnitKind {
    const isCell = head === "text" && blanks >= GAP;
    blanks = 0;
    return isCell || isData || fence !== "" ? "structure" : "speech";
  }

  function isFence({ text }: MarkRun, next: CharacterClass): boolean {
    // Backticks further on in the line that opened it: that was code within a sentence.
    if (isFenceLine && text.endsWith("`")) fence = "";
    if (!FENCE.test(text) || head !== "start") return false;
    const isOpen = fence !== "";
    if (isOpen && (!text.startsWith(fence) || !isSpace(next))) return false;
    fence = isOpen ? "" : text;
    isFenceLine ||= !isOpen;
    return true;
  }

  function isMarker({ text, length }: MarkRun, next: CharacterClass): boolean {
    if (head === "text") return false;
    if (head === "start") return BULLET.test(text) || (isSpace(next) && !OPENING.test(text));
    const isPoint = length === 1 && isSpace(next) && AFTER_ENUMERATOR.test(text);
    head = isPoint ? "start" : "text";
    return isPoint;
  }

  function isElement({ text }: MarkRun): boolean {
    const isWithin = depth > 0;
    const opened = (text.match(/[[{]/g)?.length ?? 0) - (text.match(/[\]}]/g)?.length ?? 0);
    depth = Math.max(0, depth + opened);
    return isWithin && text.endsWith(",");
  }

  function newline(): void {
    // A blank line ends what was left open.
    if (head === "start") depth = 0;
    head = "start";
    [isRow, isFenceLine] = [false, false];
    [blanks, picture] = [0, 0];
  }

  return {
    /** @param next class of the character that ended the run */
    marks(run: MarkRun, next: CharacterClass): UnitKind {
      const isPart = spoken() === "structure";
      if (isFence(run, next)) return "structure";
      const marker = isMarker(run, next);
      isRow ||= run.text.includes("|");
      const element = isElement(run);
      if (!isPart && !marker && endsSentence(run, next)) return "end";
      if (isPart || marker || isRow || (next === CLASS.newline && CODE_END.test(run.text))) return "structure";
      return element || isDataMark(run, next) ? "data" : "neutral";
    },
    /** Of a run too long for punctuation: asked again at each of its characters. */
    longMarks({ text, length }: MarkRun): UnitKind {
      isRow ||= text.includes("|");
      const isDivider = (head === "start" || isRow) && DIVIDER.test(text) && length <= WIDEST_DIVIDER;
      return isData || fence !== "" || isDivider ? "structure" : "speech";
    },
    word(length: number, isNumber: boolean): UnitKind {
      const kind = spoken();
      head = head === "start" && length <= (isNumber ? ENUMERATOR_DIGITS : 1) ? "enumerator" : "text";
      return isNumber && kind === "speech" ? "neutral" : kind;
    },
    glyph(char: string): UnitKind {
      const kind = spoken();
      // Emoji before any word: a bullet, or a line of a picture.
      if (head === "start" && /[\ud800-\udfff]/.test(char) && ++picture <= WIDEST_PICTURE) return "structure";
      head = "text";
      return kind;
    },
    blank(char: string): void {
      blanks += char === "\t" ? GAP : 1;
    },
    newline,
    begin(data: boolean): void {
      newline();
      [depth, fence, isData] = [0, "", data];
    },
    isFresh: () => head === "start" && fence === "",
    /** Blanks are set on purpose there. */
    isLaidOut: () => isRow || fence !== "",
  };
}
