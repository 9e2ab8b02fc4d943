import { type CharacterClass, DIGIT_CHAR, GLYPH, LETTER_CHAR, NEWLINE, setOf } from "../text/characters.ts";

/** A run of punctuation and what it looks like, from its first character to its last so far. One object, used again and again. */
export interface MarkRun {
  /** `previous`: class of the character right before it. */
  begin(previous: CharacterClass): void;
  add(code: number): void;
  /** A word followed; `isCommand`: one that a backslash stands before, as in TeX. */
  follow(isCommand: boolean): void;
  endsInBackslash(): boolean;
  first(): number;
  last(): number;
  length(): number;
  isUniform(): boolean;
  hasPipe(): boolean;
  endsInComma(): boolean;
  /** Brackets and braces that it opens, less those that it closes. */
  opened(): number;
  /** It ends a line as only code does. */
  endsCode(): boolean;
  /** It stands between data or parts of code rather than in a sentence. `next`: class of the character after it. */
  isData(next: CharacterClass): boolean;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const SLASH = 0x2f;
const COLON = 0x3a;
const LESS = 0x3c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const PIPE = 0x7c;
const CLOSING_BRACE = 0x7d;

const CODE_ENDS = setOf(";{>");
const BEFORE_CODE_COMMA = setOf("\"'})]");
const TEX = setOf("_^}\\$");

export function markRun(): MarkRun {
  let previous: CharacterClass = NEWLINE;
  let isAfterCommand = false;
  let first = 0;
  let before = 0;
  let last = 0;
  let length = 0;
  let isUniform = true;
  let hasPipe = false;
  let opened = 0;
  let isQuoting = false;

  const opensTag = (): boolean => last === LESS || (last === SLASH && before === LESS);
  const opensBlock = (): boolean =>
    (first === BRACE && !(isAfterCommand && previous === LETTER_CHAR)) ||
    (last === BRACE && length > 1 && !TEX.has(before));

  /** As between the cells of a row, quoted or not. Within a number, or between glyphs, a comma is just a comma. */
  function separatesCells(next: CharacterClass): boolean {
    const isQuoted = length === 3 && first === last && (first === QUOTE || first === APOSTROPHE);
    if (isQuoted) return before === COMMA || before === SEMICOLON;
    if (length !== 1 || (first !== COMMA && first !== SEMICOLON) || previous <= NEWLINE || next <= NEWLINE)
      return false;
    return previous !== GLYPH && next !== GLYPH && !(previous === DIGIT_CHAR && next === DIGIT_CHAR);
  }

  return {
    begin(previousClass) {
      previous = previousClass;
      before = 0;
      last = 0;
      length = 0;
      isUniform = true;
      hasPipe = false;
      opened = 0;
      isQuoting = false;
    },
    add(code) {
      if (length === 0) first = code;
      before = last;
      last = code;
      length++;
      isUniform &&= code === first;
      hasPipe ||= code === PIPE;
      opened += bracketing(code);
      isQuoting ||= isJsonPair(before, code);
    },
    follow(isCommand) {
      isAfterCommand = isCommand;
    },
    endsInBackslash: () => last === BACKSLASH,
    first: () => first,
    last: () => last,
    length: () => length,
    isUniform: () => isUniform,
    hasPipe: () => hasPipe,
    endsInComma: () => last === COMMA,
    opened: () => opened,
    endsCode: () => CODE_ENDS.has(last) || (last === COMMA && BEFORE_CODE_COMMA.has(before)),
    isData: (next) => isQuoting || (next === LETTER_CHAR && opensTag()) || opensBlock() || separatesCells(next),
  };
}

function bracketing(code: number): number {
  if (code === BRACKET || code === BRACE) return 1;
  return code === CLOSING_BRACKET || code === CLOSING_BRACE ? -1 : 0;
}

/** A quotation mark as JSON sets it: `{"`, `["`, `":`, `"}`, `"]`. */
function isJsonPair(before: number, code: number): boolean {
  if (code === QUOTE) return before === BRACE || before === BRACKET;
  return before === QUOTE && (code === COLON || code === CLOSING_BRACE || code === CLOSING_BRACKET);
}
