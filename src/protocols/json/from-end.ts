import { lastIndexIn, utf8Text } from "../../text/bytes.ts";
import type { Work } from "../../work.ts";
import { parseForReading } from "./json.ts";

/*
 * Finding one's way in JSON bytes from their end, without reading what stands before: in valid JSON a quotation mark
 * outside of a string can only be a string's own.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Where the last element ends of the array that is a member of the outermost object with so many members behind it.
 * Undefined where that member is no array, or its last element no object.
 */
export function endOfElements(body: Uint8Array, membersBehind: number): number | undefined {
  const bracket = closingBracket(body, membersBehind);
  if (bracket === undefined) return undefined;
  const last = beforeBlanks(body, bracket - 1);
  return body[last] === CLOSING_BRACE ? last + 1 : undefined;
}

/** Offset of the bracket that closes one member of the outermost object, counted from the end. */
function closingBracket(body: Uint8Array, membersBehind: number): number | undefined {
  let members = membersBehind;
  let depth = 0;
  for (let at = body.length - 1; at >= 0; at--) {
    const byte = body[at];
    if (byte === QUOTE) at = openingQuote(body, at);
    else if (byte === COMMA && depth === 1) members--;
    else if (byte === BRACE || byte === BRACKET) depth--;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth === 1 && members === 0) return byte === CLOSING_BRACKET ? at : undefined;
      depth++;
    }
  }
  return undefined;
}

function openingQuote(body: Uint8Array, closing: number): number {
  for (let at = body.lastIndexOf(QUOTE, closing - 1); at > 0; at = body.lastIndexOf(QUOTE, at - 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return 0;
}

function beforeBlanks(body: Uint8Array, from: number): number {
  let at = from;
  while (at >= 0 && (body[at] ?? 0) <= 0x20) at--;
  return at;
}

/** The elements that stand between two offsets of an array, behind others. Undefined where there is anything else. */
export function addedElements(body: Uint8Array, from: number, to: number, work: Work): readonly unknown[] | undefined {
  if (from >= to || body[from] !== COMMA) return undefined;
  const text = utf8Text(body.subarray(from + 1, to));
  const elements = text === undefined ? undefined : parseForReading(`[${text}]`, work);
  return Array.isArray(elements) ? elements : undefined;
}

/** How far from the end is searched. In bytes. */
const NEAR = 256 * 1024;
const LATIN1 = new TextDecoder("latin1");
const TEXT_VALUE = /^\s*:\s*"([^"\\]{1,256})"/;

/**
 * The short texts that stand in these bytes as members of this name, from the last one on: hints, for they may stand in other
 * places than they should.
 */
export function* textsFromEnd(body: Uint8Array, name: string): Generator<string, void, undefined> {
  const near = body.subarray(-NEAR);
  const key = `"${name}"`;
  for (let at = lastIndexIn(near, key); at !== -1; at = at === 0 ? -1 : lastIndexIn(near, key, at - 1)) {
    const from = at + key.length;
    const text = TEXT_VALUE.exec(LATIN1.decode(near.subarray(from, from + 300)))?.[1];
    if (text !== undefined) yield text;
  }
}
