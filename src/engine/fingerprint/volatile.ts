import { alternatives } from "../../languages/languages.ts";

/** Volatile parts: what changes between two calls, or two outcomes, that mean the same. */

/** Never a different action: ids of the request itself, cache-busters. */
const VOLATILE_ARGUMENTS = new Set([
  ..."requestid reqid clientrequestid traceid spanid correlationid idempotencykey nonce cachebuster cachebust".split(
    " ",
  ),
  ..."callid toolcallid".split(" "),
  ...alternatives("attempt").split("|"),
]);

/** Of these, the ids that a call may be about: `get_log(trace_id)`. */
const NAMES_ASKED_FOR = new Set(
  "requestid reqid traceid spanid correlationid callid toolcallid timestamp ts".split(" "),
);

/** A call with no other argument is about it. */
export function namesSomething(key: string): boolean {
  return NAMES_ASKED_FOR.has(bare(key));
}

/** Where their value is a point in time, it is the time of asking. */
const TIMES_OF_ASKING = new Set(
  "timestamp ts requestedat requesttime calledat sentat now currenttime clienttime".split(" "),
);

/** A wording beside the action, not the action. */
const COSMETIC_ARGUMENTS = new Set(alternatives("rationale").split("|"));

/** What a call is called, where another argument says what it does. */
const LABELS = new Set(
  "name label title displayname displaytitle caption alias tag stepname taskname activity purpose intent goal note summary".split(
    " ",
  ),
);
const DEEDS = /^(command|cmd|commands|script|code|shell|argv)$/i;

/** Never a different outcome: when it was made, how long it took, which process or message it was. */
const VOLATILE_RESULTS = new Set([
  ..."timestamp ts now createdat updatedat startedat finishedat endedat sentat servertime".split(" "),
  ..."elapsed elapsedms elapsedseconds duration durationms durationseconds took tookms latency latencyms uptime".split(
    " ",
  ),
  ..."pid processid sessionid requestid reqid runid messageid msgid traceid spanid correlationid nonce attempt".split(
    " ",
  ),
]);

/** When it was looked at, not when something happened there. */
const TIME_OF_LOOKING =
  /^(fetched|retrieved|queried|requested|received|generated|checked|lastchecked|cached|observed|sampled|measured|computed|evaluated|read|accessed|captured|response|request|report|snapshot|server|current|query|asof)(at|on|time|timestamp|ts|date|epoch)?$/;

/** Where a name stands that is given anew each time. */
export interface Names {
  readonly key: RegExp;
  readonly text: RegExp;
}

/** What was made has an id, a number, an address of its own. */
export const identifiers: Names = {
  key: /(^|[_-])(id|uuid|guid)$|[a-z](Id|ID|Uuid|UUID)$|^(url|html_?url|uri|link|href|permalink|number|reference|ref|receipt|(confirmation|booking|tracking|ticket|order)([_-]?(code|number|no))?)$/i,
  text: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|#\s?\d+\b/gi,
};

/** The numbers of a failure that identify the incident are volatile, too; all its other numbers tell where it is. */
export const namesOfIncidents: Names = {
  key: /^(reference|ref|incident|error[_-]?id)$/i,
  text: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
};

/** Stamps where they are that exact; else what was asked for. */
const DAYS_OR_TIMES = new Set("time datetime date".split(" "));

const bare = (key: string): string => key.replace(/[_\-\s]/g, "").toLowerCase();

/** Cache-busters are often spelled with a leading underscore and little else. */
const isCacheBuster = (key: string): boolean => /^_(t|ts|r|cb)?$/.test(key);

/** How a run that is to be started is called; with a clock in it, it is called by when it was started. */
const RUN_NAMES = /^(dag)?(run|execution|invocation|launch)(id|name|key|label|token)$/;
const MIDNIGHT = /t?\b0{2}:?0{2}(:?0{2})?\b/i;

export function isVolatileArgument(key: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null) return false;
  if (isCacheBuster(key) || VOLATILE_ARGUMENTS.has(bare(key))) return true;
  if (typeof value === "string" && RUN_NAMES.test(bare(key))) return STAMP.test(value) && !MIDNIGHT.test(value);
  return TIMES_OF_ASKING.has(bare(key)) && isPointInTime(value);
}

const WAITING =
  /^(yield|wait|max_?wait|time_?out|delay|interval|sleep|block|poll(ing)?)(_?(for|time|interval|period|until))?(_?(ms|s|secs?|seconds|millis|milliseconds|minutes))?$|^(seconds|secs|ms|milliseconds|minutes)$/i;

const SIZE =
  /^((max|num|n|page|batch|chunk|result|total)_?)?(limit|rows?|lines?|size|count|results?|records?|items|entries|head|tail|top|take|length|chars|characters|bytes|tokens|n|k|depth|max)(_?(limit|count|size|max|n))?$/i;

/** How much is wanted at most, rather than of what. */
export function isSizeArgument(key: string): boolean {
  return SIZE.test(key.replace(/([a-z])([A-Z])/g, "$1_$2"));
}

/** A tool that names how long it waits says that it waits. */
export function isWaitParameter(key: string): boolean {
  return /wait|yield|timeout|time_out|poll/i.test(key) && isWaitingArgument(key);
}

/** How long something is waited for. */
export function isWaitingArgument(key: string): boolean {
  return WAITING.test(key.replace(/([a-z])([A-Z])/g, "$1_$2"));
}

/** How long a command sleeps before it looks is no part of what it looks at. */
export function withoutPause(command: string): string {
  return command.replace(/^(\s{0,16}sleep)\s{1,16}[\d.]{1,16}[smhd]?(?=\s{0,16}(?:;|&&|\n)\s{0,16}\S)/, "$1");
}

export function isCosmeticArgument(key: string, besides: readonly string[]): boolean {
  const name = bare(key);
  return COSMETIC_ARGUMENTS.has(name) || (LABELS.has(name) && besides.some((other) => DEEDS.test(other)));
}

/** An issue's description or a comment is what is written; a command's description only says what it is for. */
export function isContent(key: string, besides: readonly string[]): boolean {
  return /^(description|comment)$/i.test(key) && !besides.some((other) => /^(command|cmd|script|code)$/i.test(other));
}

/** How well a hit fits the words it was looked for with: it jitters, and says nothing of the hit. */
const RELEVANCE = /(score|similarity|distance|relevance|confidence|certainty)$/;

/** In which a field says how long something took. */
const UNIT = /(seconds|secs?|millis|ms|minutes|mins?)$/;

/** So finely only the work itself is timed. */
const MILLISECONDS = /[a-z](_ms|Ms|_millis|Millis|_millisec(?:ond)?s)$/;

/** What the name of a result's field says of its values. */
interface FieldName {
  /** All of them are volatile; numbers; numbers with a fraction; points in time. */
  readonly all: boolean;
  readonly numbers: boolean;
  readonly fractions: boolean;
  readonly moments: boolean;
}

function fieldNamed(key: string): FieldName {
  const name = bare(key);
  return {
    all: VOLATILE_RESULTS.has(name) || VOLATILE_RESULTS.has(name.replace(UNIT, "")),
    numbers: MILLISECONDS.test(key),
    fractions: RELEVANCE.test(name),
    moments: DAYS_OR_TIMES.has(name) || TIME_OF_LOOKING.test(name),
  };
}

/** Tells which fields of one result are volatile. Rows of a table have the same names: each is read once. */
export function volatileFields(): (key: string, value: unknown) => boolean {
  const names = new Map<string, FieldName>();
  return (key, value) => {
    if (typeof value === "object" && value !== null) return false;
    const name = names.get(key) ?? fieldNamed(key);
    names.set(key, name);
    if (name.all) return true;
    if (typeof value === "number" && (name.numbers || (name.fractions && !Number.isInteger(value)))) return true;
    return name.moments && isPointInTime(value);
  };
}

/** In seconds to nanoseconds; with six decimals it is what Slack calls a message. */
const EPOCH = /^1\d{9}(\d{3}){0,3}(\.\d{1,3})?$/;
const STAMP = /\d{1,2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}t\d{2}:?\d{2}/i;

/** When something was asked or made, to the second at least: a day, a time of day or a position in a film is a value. */
function isPointInTime(value: unknown): boolean {
  if (typeof value === "number") return value >= 1e9;
  return typeof value === "string" && (EPOCH.test(value.replace("\u0000", "")) || STAMP.test(value));
}

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?`;
/** Without a day beside it, `10:30` may be a line and a column, a range or an opening hour: those are values. */
const EXACT_CLOCK = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:\s?[ap]\.?m\b\.?)?`;
const ZONE = String.raw`(?:\s?(?:z\b|utc\b|gmt\b|[+-]\d{2}:?\d{2}))?`;
const DAY = String.raw`(?:\d{4}[-/]\d{2}[-/]\d{2}|(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s+)?(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?(?:\s+\d{4})?)`;

/** What changes from one telling to the next, and the mark in its place. */
interface StampPattern {
  /** Where this is not so the pattern is not found either, and it takes longer to say so. */
  readonly mayBeIn: (text: string) => boolean;
  readonly pattern: RegExp;
  readonly mark: string;
}

const hasDigit = (text: string): boolean => /\d/.test(text);
const hasClock = (text: string): boolean => /\d:\d\d/.test(text);
/** A letter, a mark, a digit: to look for the names themselves takes longer. The mark and the digit are found sooner yet. */
const hasField = (text: string): boolean =>
  /[:=>][ \t]{0,2}["']?\d/.test(text) && /[a-z]["']?[ \t]{0,2}[:=>][ \t]{0,2}["']?\d/i.test(text);

/** A day alone stays: pages and calendars are walked by day, and that is progress. A day with a clock is a stamp. */
const STAMPS: readonly StampPattern[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI escapes begin with one
  { mayBeIn: (text) => text.includes("\u001b"), pattern: /\u001b\[[0-9;?]*[ -/]*[@-~]/g, mark: "" },
  {
    mayBeIn: hasClock,
    pattern: new RegExp(String.raw`\b${DAY}(?:,?\s*(?:at\s+)?|t)${CLOCK}${ZONE}(?:\s\d{4}\b)?`, "gi"),
    mark: "<time>",
  },
  { mayBeIn: hasClock, pattern: new RegExp(String.raw`\b${EXACT_CLOCK}${ZONE}`, "gi"), mark: "<time>" },
  {
    mayBeIn: hasDigit,
    pattern: /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b(?!\s+(?:left|remaining|to go))/gi,
    mark: "<duration>",
  },
  { mayBeIn: hasDigit, pattern: /\b(?:pid[\s:=#]{0,8}\d+|pro[c]ess[\s:=#]{1,4}\d{3,})/gi, mark: "<pid>" },
  {
    mayBeIn: hasDigit,
    // Bounded: these classes overlap, and a long row of dashes must not cost its square.
    pattern:
      /\b(?:session|request|req|run|message|msg|trace|correlation)[\s_-]?(?:id)?[\s:=#_-]{0,3}["']?(?=[\w-]{0,64}\d)[\w-]{4,}/gi,
    mark: "<id>",
  },
  {
    // What a field of a text that is no JSON says of the looking itself, as in YAML or in markup's attributes.
    mayBeIn: hasField,
    pattern:
      /(?<![\p{L}\d])(?:uptime|elapsed|duration|took|latency|age|timestamp|(?:data-)?(?:score|relevance|similarity|distance|confidence))(?:[_ ]?(?:s|secs?|seconds|ms|millis|minutes))?["']?[ \t]{0,2}[:=>][ \t]{0,2}["']?(?:\d[\w.:+-]{0,40})/giu,
    mark: "<field>",
  },
  { mayBeIn: (text) => text.includes("0x") || text.includes("0X"), pattern: /\b0x[0-9a-f]{6,}\b/gi, mark: "<address>" },
  { mayBeIn: (text) => text.includes("/tmp/tmp"), pattern: /\/tmp\/tmp[.\w-]{6,}/g, mark: "/tmp/<temporary>" },
];

/** In short texts, as JSON is full of them, one search costs less than one for each stamp. */
const ANY_CUE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI escapes begin with one
  /\u001b|\d:\d\d|\d\s?[nµums]|\b(?:pid|pro[c]ess|session|req|run|message|msg|trace|correlation)|0x|\/tmp\/tmp|[a-z]["']?[ \t]{0,2}[:=>][ \t]{0,2}["']?\d/i;
const SHORT = 256;

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
  if (text.length <= SHORT && !ANY_CUE.test(text)) return text;
  let out = text;
  for (const stamp of STAMPS) out = marked(out, stamp);
  return out;
}

function marked(text: string, { mayBeIn, pattern, mark }: StampPattern): string {
  return mayBeIn(text) ? text.replace(pattern, mark) : text;
}
