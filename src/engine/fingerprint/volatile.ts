import type { Json } from "../../text/is-object.ts";
/** Volatile parts: what changes between two calls, or two outcomes, that mean the same. */

/** The request itself, and which try it is: never another action, nor another outcome. */
const REQUESTS = new Set(
  "requestid traceid spanid correlationid callid toolcallid idempotencykey nonce attempt retry trynumber retrycount".split(
    " ",
  ),
);

/** Where their value is a point in time, it is the time of asking. */
const TIMES_OF_ASKING = new Set(["timestamp", "ts", "now", "requestedat"]);

/** A wording beside the action, not the action. */
const COSMETIC_ARGUMENTS = new Set("description reason thought explanation reasoning rationale comment".split(" "));

/** What a call is called, where another argument says what it does. */
const LABELS = new Set("name label title displayname caption tag goal note summary".split(" "));
const DEEDS = /^(commands?|cmd|script|code|argv)$/i;

/** It says what is done; what stands beside it only says what for. */
export const isDeed = (key: string): boolean => DEEDS.test(key);

/** Never a different outcome: when it was told, how long it took, which process told it. */
const TELLINGS = ["timestamp", "elapsed", "duration", "took", "latency", "uptime", "pid", "pgid"];

/** What was made has an id of its own, new each time. */
export const ID_FIELD = /(^|[_-])((?:uu)?id|guid)$|[a-z](?:Id|ID|Uuid)$/;

const bare = (key: string): string => key.replace(/[_\-\s]/g, "").toLowerCase();

export function isVolatileArgument(key: string, value: Json): boolean {
  if (typeof value === "object" && value !== null) return false;
  const name = bare(key);
  return REQUESTS.has(name) || (TIMES_OF_ASKING.has(name) && isPointInTime(value));
}

const WAITING =
  /^(yield|(max_?)?wait|time_?out|delay|interval|sleep|poll(ing)?)(_?(for|time|interval))?(_?(ms|s|secs?|seconds|minutes))?$|^(seconds|ms|minutes)$/i;

const SIZE =
  /^((max|num|n|page|chunk|result|total)_?)?(limit|rows?|lines?|size|count|results?|records?|items|head|tail|top|length|chars|bytes|tokens|n|k|depth)(_?(limit|count|size|max))?$/i;

export function isSizeArgument(key: string): boolean {
  return SIZE.test(apart(key));
}

/** A tool that names how long it waits says that it waits. */
export function isWaitParameter(key: string): boolean {
  return /wait|yield|timeout|time_out|poll/i.test(key) && isWaitingArgument(key);
}

export function isWaitingArgument(key: string): boolean {
  return WAITING.test(apart(key));
}

const apart = (key: string): string => key.replace(/([a-z])([A-Z])/g, "$1_$2");

/** How long a command sleeps before it looks is no part of what it looks at. */
export function withoutPause(command: string): string {
  return command.replace(/^(\s{0,16}sleep)\s{1,16}[\d.]{1,16}[smhd]?(?=\s{0,16}(?:;|&&|\n)\s{0,16}\S)/, "$1");
}

export function isCosmeticArgument(key: string, besides: readonly string[]): boolean {
  const name = bare(key);
  return COSMETIC_ARGUMENTS.has(name) || (LABELS.has(name) && besides.some(isDeed));
}

const UNIT = "(?:seconds|secs?|s|millis|ms|minutes|mins?)?";
/** "elapsed_ms"; "queued_duration", "time_elapsed": of the work itself, where a film's duration is a value. */
const TOOK = new RegExp(
  `^(?:${TELLINGS.join("|")}|ts|now)${UNIT}$|(?:elapsed|uptime|latency|(?:queued?|wait|run|execution|processing|request|response|query|build)duration)$`,
);

/** So finely only the work itself is timed. */
const MILLISECONDS = /[a-z](_ms|Ms|_millis|Millis)$/;

/** What the name of a result's field says of its values: all of them are volatile, points in time, none. */
type Volatile = "all" | "moments" | "none";

/** When something was looked at, or happened: as in a text, to the second it is no news. */
const MOMENT = /(at|time|stamp|ts)$/;

function fieldNamed(key: string): Volatile {
  const name = bare(key);
  if (REQUESTS.has(name) || TOOK.test(name) || MILLISECONDS.test(key)) return "all";
  return MOMENT.test(name) ? "moments" : "none";
}

/** Tells which fields of one result are volatile. Rows of a table have the same names: each is read once. */
export function volatileFields(): (key: string, value: Json) => boolean {
  const names = new Map<string, Volatile>();
  return (key, value) => {
    if (typeof value === "object" && value !== null) return false;
    const volatile = names.get(key) ?? fieldNamed(key);
    names.set(key, volatile);
    if (volatile === "moments") return isPointInTime(value);
    return volatile === "all";
  };
}

/** In seconds to nanoseconds; with six decimals it is what Slack calls a message. */
const EPOCH = /^1\d{9}(\d{3}){0,3}(\.\d{1,3})?$/;
const STAMP = /\d{1,2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}t\d{2}:?\d{2}/i;

/** When something was asked or made, to the second at least: a day, a time of day or a position in a film is a value. */
function isPointInTime(value: Json): boolean {
  if (typeof value === "number") return value >= 1e9;
  return typeof value === "string" && (EPOCH.test(value.replace("\u0000", "")) || STAMP.test(value));
}

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?`;
/** Without a day beside it, `10:30` may be a line and a column, a range or an opening hour: those are values. */
const EXACT_CLOCK = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:\s?[ap]\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s?(?:z\b|utc\b|gmt\b|[+-]\d{2}:?\d{2}))?`;
const DAY = String.raw`(?:\d{4}[-/]\d{2}[-/]\d{2}|(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s+)?(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?(?:\s+\d{4})?)`;

/** What numbers the elements of a page, and is numbered anew with each look. */
const ELEMENT =
  /\[(?:ref=)?[a-z]{0,2}\d{1,6}\]|\b(?:ref|uid|bid|idx)[=:]\s?["']?[a-z]{0,2}\d{1,6}(?:_\d{1,6})?\b["']?/gi;
const LEAST_ELEMENTS = 3;

/**
 * What changes from one telling to the next, and the mark in its place. A day alone stays: pages and calendars are walked by day,
 * and that is progress. A day with a clock is a stamp.
 */
const STAMPS: readonly (readonly [pattern: RegExp, mark: string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI escapes begin with one
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""],
  [new RegExp(String.raw`\b${DAY}(?:,?\s*(?:at\s+)?|t)${CLOCK}${ZONE}(?:\s\d{4}\b)?`, "gi"), "<time>"],
  [new RegExp(String.raw`\b${EXACT_CLOCK}${ZONE}`, "gi"), "<time>"],
  [/\b\d+(?:\.\d+)?\s?(?:[nµum]?s|secs?|seconds?|mins?|minutes?)\b(?!\s+(?:left|remaining|to go))/gi, "<duration>"],
  [/\b(?:process|pid|lwp)[ \t:=#]{1,3}\d{3,9}\b/gi, "<process>"],
  // What a field of a text that is no JSON says of the looking itself, as in YAML or in markup's attributes.
  [
    new RegExp(
      String.raw`(?<![\p{L}\d])(?:${TELLINGS.join("|")})(?:[_ ]?(?:s|secs?|seconds|ms|millis|minutes))?["']?[ \t]{0,2}[:=>][ \t]{0,2}["']?(?:\d[\w.:+-]{0,40})`,
      "giu",
    ),
    "<field>",
  ],
];

/** Nothing of all that is without one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI escapes begin with one
const CUE = /[\d\u001b]/;

/** Beyond this only head and tail are searched for stamps; the middle is compared as it is. In characters. */
const STAMP_SPAN = 16_384;

/** Replaces stamps by marks. All other numbers stay: a line, a count, a cursor is progress. */
export function withoutStamps(text: string): string {
  if (text.length > 2 * STAMP_SPAN) {
    const middle = text.slice(STAMP_SPAN, -STAMP_SPAN);
    return stamped(text.slice(0, STAMP_SPAN)) + middle + stamped(text.slice(-STAMP_SPAN));
  }
  return stamped(text);
}

function stamped(text: string): string {
  if (!CUE.test(text)) return text;
  const isPage = (text.match(ELEMENT)?.length ?? 0) >= LEAST_ELEMENTS;
  return STAMPS.reduce(
    (out, [pattern, mark]) => out.replace(pattern, mark),
    isPage ? text.replace(ELEMENT, "<element>") : text,
  );
}
