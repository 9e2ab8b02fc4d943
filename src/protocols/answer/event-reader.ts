import type { Framing } from "../framing.ts";
import { isObject, type JsonObject, parseJson } from "../json/json.ts";
import type { TextFrame, TextPart } from "./framed-texts.ts";

/** Reads the events of one stream. */
export interface EventReader {
  /**
   * The data of one event; undefined if that is no object. The object is used again for the next event, and its `obfuscation`,
   * which is never read, may be an earlier one's.
   */
  read(data: string): JsonObject | undefined;
  /** The frame of the latest event, if nothing but its text changes between it and its likes. @param part all it says @param name its own */
  frame(part: TextPart, name: string | undefined): TextFrame | undefined;
}

/** Patterns that may turn out useless in a row before no more are made: they cost as much as they could save. */
const MAX_USELESS = 4;

/** Each event tends to be the one before with another text in the same place, and then no more than that text is parsed. */
export function eventReader(placeIn: FindPlace, framing: Framing): EventReader {
  let latest: { readonly event: JsonObject; readonly pattern: Pattern | undefined } | undefined;
  let useless = 0;
  return {
    read(data) {
      if (latest?.pattern?.fill(data) === true) {
        useless = 0;
        return latest.event;
      }
      const event = parseJson(data);
      if (!isObject(event)) return undefined;
      const pattern = useless < MAX_USELESS ? patternOf(data, event, placeIn, framing) : undefined;
      if (pattern !== undefined) useless++;
      latest = { event, pattern };
      return event;
    },
    frame: (part, name) => latest?.pattern?.frame(part, name),
  };
}

/** An event as a form with a blank. */
interface Pattern {
  /** Puts the text that `data` has in the blank's place into the event; false: it differs elsewhere, and the event stays as it was. */
  fill(data: string): boolean;
  frame(part: TextPart, name: string | undefined): TextFrame | undefined;
}

function patternOf(data: string, event: JsonObject, placeIn: FindPlace, framing: Framing): Pattern | undefined {
  const place = placeIn(event);
  const start = place && startOfText(data, place, placeIn);
  if (place === undefined || start === undefined) return undefined;
  const before = data.slice(0, start);
  const { middle, end } = following(data.slice(endOfString(data, start)));
  // What is padded differs in two places, and what came in several lines is written in another way.
  const canBeFramed = middle === undefined && !data.includes("\n");
  let framed: { readonly name: string | undefined; readonly frame: TextFrame } | undefined;
  return {
    fill(other) {
      const behind = other.length - end.length;
      // Slices compared are ten times as fast as `startsWith`, which goes letter by letter.
      if (behind < start || other.slice(0, start) !== before || other.slice(behind) !== end) return false;
      const to = middle === undefined ? behind : startOfPadding(other, middle, behind);
      // A literal that is valid by itself is one token, wherever it stands.
      const text = to < start ? undefined : textIn(other.slice(start, to));
      if (typeof text !== "string") return false;
      place.holder[place.key] = text;
      return true;
    },
    frame(part, name) {
      if (!canBeFramed || part.kind !== place.kind) return undefined;
      if (framed === undefined || framed.name !== name) {
        const whole = framing.write([{ event: name, data: before + PROBE + end }], { begins: false, ends: false });
        // The text may have the probe in it, but not what comes before it.
        const at = whole.indexOf(before + PROBE) + before.length;
        framed = { name, frame: { head: whole.slice(0, at), tail: whole.slice(at + PROBE.length), part } };
      }
      return framed.frame;
    },
  };
}

/** As a token of a model mostly is. Of longer texts V8 would keep the whole event that they were cut from. */
const PLAIN_TOKEN = /^[ !#-[\]-~]{1,12}$/;

/** What a JSON literal says; undefined for what is no literal. */
function textIn(literal: string): unknown {
  return PLAIN_TOKEN.test(literal) ? literal : parseJson(`"${literal}"`);
}

/** Where a text stands in an event. */
export interface TextPlace {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  /** What is said there: if an event says just one thing, and that is of this kind, then it is this. */
  readonly kind: TextPart["kind"];
}

/** The place of the text that an event goes on with, if there is one, and it is not empty. */
type FindPlace = (event: JsonObject) => TextPlace | undefined;

const PROBE = "unloop?";

/** Where that text begins in the data: where something put in appears at its beginning, and a name alone would be a guess. */
function startOfText(data: string, { holder, key }: TextPlace, placeIn: FindPlace): number | undefined {
  const match = new RegExp(`"${key}"\\s*:\\s*"`, "g").exec(data);
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  const probed = parseJson(data.slice(0, start) + PROBE + data.slice(start));
  const place = isObject(probed) ? placeIn(probed) : undefined;
  return place?.key === key && place.holder[key] === PROBE + String(holder[key]) ? start : undefined;
}

/** The closing quotation mark of the string that `from` is in. */
function endOfString(data: string, from: number): number {
  let at = from;
  while (at < data.length && data[at] !== '"') at += data[at] === "\\" ? 2 : 1;
  return at;
}

/** Padding: OpenAI adds a random text to its events to hide their lengths. */
const PADDING = /^(.*"obfuscation"\s*:\s*")[^"\\]*(".*)$/s;

/** What follows the text: all of it is the same in the next event, or all but a padding between `middle` and `end`. */
function following(rest: string): { readonly middle: string | undefined; readonly end: string } {
  const padded = PADDING.exec(rest);
  return padded === null ? { middle: undefined, end: rest } : { middle: padded[1], end: padded[2] ?? "" };
}

const PLAIN = /^[\w+/=-]*$/;

/** Where `middle` begins, if nothing but it and a padding ends at `until`; else -1. */
function startOfPadding(data: string, middle: string, until: number): number {
  const from = data.lastIndexOf('"', until - 1) + 1;
  const start = from - middle.length;
  return start >= 0 && data.slice(start, from) === middle && PLAIN.test(data.slice(from, until)) ? start : -1;
}
