import { latin1Text, utf8Text } from "../../text/bytes.ts";
import type { Work } from "../../work.ts";
import { parseForReading } from "./json.ts";
import { membersOf } from "./place.ts";

const COMMA = 0x2c;

/** The elements that stand between two offsets of an array, behind others. Undefined where there is anything else. */
export function addedElements(body: Uint8Array, from: number, to: number, work: Work): readonly unknown[] | undefined {
  if (from >= to || body[from] !== COMMA) return undefined;
  const text = utf8Text(body.subarray(from + 1, to));
  const elements = text === undefined ? undefined : parseForReading(`[${text}]`, work);
  return Array.isArray(elements) ? elements : undefined;
}

/** How far from the end is searched. In bytes. */
const NEAR = 256 * 1024;
const TEXT_VALUE = /^\s*:\s*"([^"\\]{1,256})"/;

/**
 * The short texts that stand in these bytes as members of this name, from the last one on: hints, for they may stand in other
 * places than they should.
 */
export function* textsFromEnd(body: Uint8Array, name: string): Generator<string, void, undefined> {
  const near = latin1Text(body.subarray(-NEAR));
  const key = `"${name}"`;
  for (let at = near.lastIndexOf(key); at !== -1; at = at === 0 ? -1 : near.lastIndexOf(key, at - 1)) {
    const text = TEXT_VALUE.exec(near.slice(at + key.length, at + key.length + 300))?.[1];
    if (text !== undefined) yield text;
  }
}

/** Where the last element ends of a list that is a member of the body. Undefined where that is no object, or there is none. */
export function endOfElements(body: Uint8Array, list: string): number | undefined {
  const text = latin1Text(body);
  const span = membersOf(text, text.indexOf("{")).get(list);
  const within = span === undefined ? "" : text.slice(0, span.end - 1).trimEnd();
  return span !== undefined && text[span.start] === "[" && within.endsWith("}") ? within.length : undefined;
}
