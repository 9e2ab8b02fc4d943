import type { JsonObject } from "../json/json.ts";
import { said } from "./demand.ts";

/** A longer string is a trap, not an answer. */
const MAX_LENGTH = 10_000;
const MAX_PATTERN = 512;
const ATOM = /\[(\^?)((?:\\.|[^\]\\])+)\]|\\(.)|\./gsu;
const COUNT = String.raw`(?:([*+?])|\{(\d{1,4})(,)?(\d{1,4})?\})\??`;
const COUNTED = new RegExp(`([^()|^$*+?{}])${COUNT}`, "gu");
const GROUP = new RegExp(String.raw`\((?:\?:)?([^()]*)\)(?:${COUNT})?`, "gu");
const ESCAPES = new Map(Object.entries({ d: "0", w: "x", s: " ", D: "x", W: "-", S: "x", n: "\n", t: "\t" }));
/** A character that is meant as such stands this much higher until all else is worked out. */
const RAISED = 0xe000;
const BEYOND = "\0";

/**
 * A text that matches the pattern, its unbounded repeats repeated `extra` times more than they must be. Undefined for
 * what goes beyond literals, classes, groups, alternatives and counts. The pattern is never run.
 */
function patternExample(pattern: unknown, extra: number): string | undefined {
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN) return undefined;
  const repeated = (_: string, body: string, ...[mark, least, comma, most]: (string | undefined)[]) => {
    const [one = ""] = body.split("|");
    const min = mark === "+" ? 1 : Number(least ?? (mark === undefined ? 1 : 0));
    const isOpen = mark === undefined ? comma !== undefined : mark !== "?";
    const max = Number(most ?? (isOpen ? MAX_LENGTH : Math.max(1, min)));
    const times = Math.min(max, min + extra);
    return times * one.length > MAX_LENGTH ? BEYOND : one.repeat(times);
  };
  let rest = pattern.replace(ATOM, (_, not?: string, list?: string, escaped?: string) =>
    raised(list === undefined ? characterOf(escaped) : characterIn(list, not !== "")),
  );
  for (let before = ""; before !== rest && rest.length <= MAX_LENGTH; ) {
    before = rest;
    rest = rest.replace(COUNTED, repeated);
    if (rest === before) rest = rest.replace(GROUP, repeated);
  }
  const [first = ""] = rest.replace(/^\^/, "").split("|");
  const text = first.replace(/\$$/, "");
  if (/[\0()|^$*+?{}[\]\\]/.test(text)) return undefined;
  return text.replace(/[\ue000-\ue07f]/g, (one) => String.fromCharCode(one.charCodeAt(0) - RAISED));
}

function raised(one = BEYOND): string {
  const code = one.charCodeAt(0);
  return code < 0x80 && one !== BEYOND ? String.fromCharCode(RAISED + code) : one;
}

/** Letters and digits that mean no character are boundaries, back references and the like. */
function characterOf(escaped = "S"): string | undefined {
  return ESCAPES.get(escaped) ?? (/[A-Za-z0-9]/.test(escaped) ? undefined : escaped);
}

/** Of a class that says what is not meant, ranges and escapes are not worked out. */
function characterIn(list: string, isNot: boolean): string | undefined {
  if (!isNot) return list.startsWith("\\") ? characterOf(list[1]) : [...list][0];
  return /-|\\[wDWS]/.test(list) ? undefined : [..."xyz_"].find((one) => !list.includes(one));
}

/** An example of each format that has a form; all others accept any text. */
const EXAMPLES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    "date-time": "1970-01-01T00:00:00Z",
    date: "1970-01-01",
    time: "00:00:00Z",
    duration: "PT0S",
    email: "nobody@example.com",
    hostname: "example.com",
    ipv4: "0.0.0.0",
    ipv6: "::",
    uri: "https://example.com/",
    url: "https://example.com/",
    uuid: "00000000-0000-4000-8000-000000000000",
    "json-pointer": "",
    regex: "x",
    emoji: "🙂",
  }),
);

/** Patterns that let through any text that is one line and not blank. */
const ANY_LINE = /^\^?(\.|\\S|\[\\s\\S\])[*+]?\$?$|^\^?$|^\$$/;

/** Whether a string of this kind may say anything. */
export function isFreeText(nodes: readonly JsonObject[]): boolean {
  return !EXAMPLES.has(said(nodes, "$format")) && nodes.every(({ $pattern = "" }) => ANY_LINE.test(String($pattern)));
}

/** A string that the schemas ask for: the text if it is free to be that, else an example of its format; undefined if there is none. */
export function filledString(nodes: readonly JsonObject[], text = ""): string | undefined {
  const min = Number(said(nodes, "minLength") ?? 0);
  const max = Number(said(nodes, "maxLength") ?? Number.POSITIVE_INFINITY);
  if (min > MAX_LENGTH) return undefined;
  const [format, pattern] = [said(nodes, "$format"), said(nodes, "$pattern")];
  // A pattern spells out the format beside it; one that is too hard to read is as the format says.
  if (!isFreeText(nodes))
    return (
      [0, min].map((extra) => patternExample(pattern, extra)).find((one) => one !== undefined && one.length >= min) ??
      EXAMPLES.get(format)
    );
  const line = pattern === undefined ? text : text.replace(/\s+/g, " ").trim() || "-";
  // Length is counted in code points, as JSON Schema does.
  const points = [...line].slice(0, max);
  return points.join("") + "-".repeat(Math.max(0, min - points.length));
}

/** The first number that is accepted, of those near zero and the bounds. */
export function filledNumber(nodes: readonly JsonObject[], isAccepted: (value: number) => boolean): number | undefined {
  const numbers = (...keywords: string[]) =>
    keywords.map((one) => said(nodes, one)).filter((one) => typeof one === "number");
  const lows = numbers("minimum", "exclusiveMinimum");
  const highs = numbers("maximum", "exclusiveMaximum");
  const step = numbers("multipleOf").find((one) => one > 0) ?? 1;
  const near = [0, 1, 2].flatMap((index) => [
    ...lows.map((low) => (Math.ceil(low / step) + index) * step),
    ...highs.map((high) => (Math.floor(high / step) - index) * step),
    index * step,
  ]);
  const between = lows.flatMap((low) => [...highs.map((high) => (low + high) / 2), low, low + 1 / 1024]);
  // Minus zero is a number that JSON cannot write.
  return [0, ...near, ...between]
    .map((value) => value + 0)
    .find((value) => Number.isFinite(value) && isAccepted(value));
}
