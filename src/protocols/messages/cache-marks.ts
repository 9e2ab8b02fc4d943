import { AGENTS } from "../../agents/agents.ts";
import { latin1Bytes, latin1Text } from "../../text/bytes.ts";
import { stringEnd } from "../json/json.ts";

/** In valid JSON such a key stands in no string: its quotation marks would be escaped. What kind it is, and how long it holds. */
const MARK = String.raw`"cache_control"\s*:\s*(?:null|\{\s*"type"\s*:\s*"ephemeral"[^{}]{0,256}\})`;
/** With the comma in front of it, or behind it where it comes first. */
const MARKS = new RegExp(String.raw`,\s*${MARK}|(\{\s*)${MARK}\s*,`, "g");
/** How a list begins that is one text, in the two ways of writing JSON without line breaks. */
const WRAPPING = /\[\{"type": ?"text", ?"text": ?(?=")/g;
/** What agents tell their own billing, in front of the system prompt: a number of it may be new with each request. */
const NOTES = AGENTS.flatMap(({ billing }) => (billing === undefined ? [] : [`"${billing}`]));
/** The system prompt begins near the body's beginning, or stands behind the messages with the tools. In bytes. */
const NOTE_SPANS = { head: 8 * 1024, tail: 256 * 1024 };

/**
 * The body without what clients change from request to request though it says nothing: marks for the prompt cache, which move
 * on with every turn, the list around a text alone, which is there where a mark was to be put, and notes about billing. Still
 * valid JSON.
 */
export function withoutCacheMarks(body: Uint8Array): Uint8Array {
  const text = latin1Text(body);
  const unmarked = text.includes('"cache_control"') ? text.replace(MARKS, "$1") : text;
  const plain = NOTES.reduce(withoutNote, unwrapped(unmarked));
  return plain === text ? body : latin1Bytes(plain);
}

function unwrapped(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: opening } of text.matchAll(WRAPPING)) {
    const start = index + opening.length;
    const end = stringEnd(text, start);
    if (!text.startsWith("}]", end)) continue;
    pieces.push(text.slice(from, index), text.slice(start, end));
    from = end + 2;
  }
  return pieces.join("") + text.slice(from);
}

function withoutNote(text: string, note: string): string {
  const inHead = text.lastIndexOf(note, NOTE_SPANS.head);
  const at = inHead === -1 ? text.indexOf(note, text.length - NOTE_SPANS.tail) : inHead;
  return at === -1 ? text : text.slice(0, at + 1) + text.slice(stringEnd(text, at) - 1);
}
