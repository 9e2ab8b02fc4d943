import { classOf, NEWLINE } from "../text/characters.ts";
import type { UnitReader } from "./units.ts";

/**
 * Reads JSON within a text (a call's arguments, an answer in JSON mode) as what it is: strings, unescaped, are texts to be
 * read; all else is data. JSON begins at a line's beginning and ends with its last bracket.
 */
export function jsonAware(reader: UnitReader): { push(text: string): void } {
  let read: (code: number) => void = ofText;
  let opener = 0;
  let depth = 0;
  let hexDigits = 0;
  let hex = 0;

  function ofText(code: number): void {
    if ((code === BRACE || code === BRACKET) && reader.isFresh()) {
      read = ofOpened;
      opener = code;
      depth = 1;
    }
    reader.push(code);
  }

  /** A bracket alone does not make JSON: `[x] done` and `{name}` are text. */
  function ofOpened(code: number): void {
    const isJson = code === QUOTE || (opener === BRACKET && (code === BRACE || code === BRACKET));
    if (isJson) {
      read = ofData;
      reader.begin(true);
      ofData(code);
      return;
    }
    if (classOf(code) > NEWLINE) read = ofText;
    reader.push(code);
  }

  function ofData(code: number): void {
    reader.push(code);
    if (code === QUOTE) {
      read = ofString;
      reader.begin(false);
    } else if (code === BRACE || code === BRACKET) depth++;
    else if ((code === CLOSING_BRACE || code === CLOSING_BRACKET) && --depth === 0) end();
  }

  function end(): void {
    read = ofText;
    reader.begin(false);
  }

  function ofString(code: number): void {
    if (code === BACKSLASH) read = ofEscape;
    else if (code === QUOTE) {
      read = ofData;
      reader.begin(true);
      reader.push(code);
    } else {
      // A raw newline cannot stand in a JSON string, so what looked like JSON is not.
      if (code === LINE_FEED) end();
      reader.push(code);
    }
  }

  function ofEscape(code: number): void {
    if (code === LETTER_U) {
      read = ofHex;
      hexDigits = 0;
      hex = 0;
      return;
    }
    read = ofString;
    reader.push(ESCAPED.get(code) ?? code);
  }

  function ofHex(code: number): void {
    hex = (hex << 4) | (code < 0x3a ? code & 15 : (code & 15) + 9);
    if (++hexDigits < 4) return;
    read = ofString;
    reader.push(hex & 0xffff);
  }

  return {
    push(text) {
      for (let at = 0; at < text.length; at++) read(text.charCodeAt(at));
    },
  };
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const LETTER_U = 0x75;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** b, f, n, r, t. */
const ESCAPED: ReadonlyMap<number, number> = new Map([
  [0x62, 0x20],
  [0x66, 0x20],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);
