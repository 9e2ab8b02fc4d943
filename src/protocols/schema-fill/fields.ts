import type { JsonObject, Json } from "../json/json.ts";
import { said } from "./schema.ts";

const textNames = [
  ["finalanswer", "answer", "text", "message", "result", "response", "reply", "output", "summary", "content"],
  ["finaloutput", "finalresult", "explanation", "conclusion", "reason", "report", "description", "comment", "details"],
].flat();
const innerNames = /thought|thinking|reasoning|memory|plan|evaluation|nextgoal/;
const labelNames = /(id|ids|url|uri|path|file|filename|title|name|language|code|key|type|kind|status|date|time)$/;
const successNames = /succe|passed|solved|achieved|resolved|satisf|valid|correct|ok$|helpful|progress/;
const doneNames =
  /done|complet|finish|final|stop|terminat|exit|submit|giveup|giv(e|ing)_up|fail|error|stuck|blocked|abort|cancel/;
const failureWords =
  /fail|error|incomplete|partial|stuck|block|cancel|abort|unable|unsuccess|unresolved|impossible|gave_?up/i;
const neutralWords =
  /^(unknown|none|null|n\/?a|other|unspecified|undecided|undetermined|pending|unclear|inconclusive|abstain|neutral|skip(ped)?|stopped|timeout|escalated?|not[ _-]?(sure|found|available|applicable|determined|known|decided))$/i;
const goodWords = /succe|done|complete|finish|final|solved|passed|achieved|submit|ok/i;
const doneWords = /done|complete|finish|final|stop|terminat|exit|submit/i;
const statusNames = /^(currentstate|explanation|analysis|rationale)$/;
const flagNames = /^(is)?(task)?(done|completed?|finished)$/;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

function textFitness(name: string): number {
  const word = plain(name);
  const exact = textNames.indexOf(word);
  if (exact !== -1) return 100 - exact;
  if (innerNames.test(word)) return 20;
  if (labelNames.test(word)) return 10;
  const part = textNames.findIndex((textName) => word.includes(textName));
  return part === -1 ? 30 : 70 - part;
}

/** Whether a member beside an agent's actions says only why it acts, and whether it is through. */
export function isThoughtField(name: string): boolean {
  const word = plain(name);
  return innerNames.test(word) || statusNames.test(word) || flagNames.test(word);
}

export const isEndFlag = (name: string): boolean => flagNames.test(plain(name));

/** `badly`: without success, or unknown. */
export type Ended = "well" | "badly";

/** Undefined if the name says nothing: the run is over, and it did not succeed unless it has ended well. */
export function booleanMeaning(name: string, ended: Ended): boolean | undefined {
  const word = plain(name);
  if (/^(not|no|un|in)(success|done|complete|finish)/.test(word))
    return !booleanMeaning(word.replace(/^(not|no|un|in)/, ""), ended);
  if (successNames.test(word)) return ended === "well";
  if (ended === "well" && failureWords.test(word)) return false;
  return doneNames.test(word) ? true : undefined;
}

export const isDoneName = (name: string): boolean => doneWords.test(name);

export function bestWord(values: readonly Json[], name: string, ended: Ended): Json {
  const meaning = booleanMeaning(name, ended);
  const meant = values.find((value) => isWordFor(value, meaning));
  if (meant !== undefined) return meant;
  const matching = (words: RegExp) => values.find((value) => typeof value === "string" && words.test(value));
  const good = values.find((value) => typeof value === "string" && goodWords.test(value) && !failureWords.test(value));
  if (ended === "well") return good ?? values[0];
  return matching(failureWords) ?? matching(neutralWords) ?? matching(doneWords) ?? values[0];
}

/** Whether a value says that a run did not end well, that something is not known, or nothing at all. */
export function isKnownWord(value: Json, name: string): boolean {
  if (isWordFor(value, booleanMeaning(name, "badly"))) return true;
  return typeof value === "string" && (failureWords.test(value) || neutralWords.test(value));
}

function isWordFor(value: Json, meaning: boolean | undefined): boolean {
  if (meaning === undefined || typeof value !== "string") return value !== undefined && value === meaning;
  return meaning ? /^(yes|y|true)$/i.test(value) : /^(no|n|false)$/i.test(value);
}

/** A longer string is a trap, not an answer. */
const MAX_LENGTH = 10_000;
/** An example of each format that has a form; all others accept any text. */
const EXAMPLES: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "1970-01-01T00:00:00Z"],
  ["date", "1970-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "PT0S"],
  ["email", "nobody@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "0.0.0.0"],
  ["ipv6", "::"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["json-pointer", ""],
  ["nanoid", "0".repeat(21)],
  ["ulid", "0".repeat(26)],
  ["e164", "+10000000"],
  ["base64", ""],
  ["regex", "x"],
  ["emoji", "🙂"],
]);

/** Patterns that let through any text that is one line and not blank. */
const ANY_LINE = /^\^?(\.|\\S|\[\\s\\S\])[*+]?\$?$|^\^?$|^\$$/;

/** The text if it is free to be that, else an example of its format; undefined where a pattern asks for something unsaid. */
export function filledString(nodes: readonly JsonObject[], text: string, name: string) {
  const min = Number(said(nodes, "minLength") ?? 0);
  const max = Number(said(nodes, "maxLength") ?? Number.POSITIVE_INFINITY);
  const [format, pattern] = [said(nodes, "format"), said(nodes, "pattern")];
  const isFree = !EXAMPLES.has(format) && nodes.every(({ pattern: one = "" }) => ANY_LINE.test(String(one)));
  const fitness = max < 40 ? 5 : textFitness(name);
  if (min > MAX_LENGTH) return { value: undefined, isFree, fitness };
  if (!isFree) return { value: EXAMPLES.get(format), isFree, fitness };
  const line = pattern === undefined ? text : text.replace(/\s+/g, " ").trim() || "-";
  // Length is counted in code points, as JSON Schema does.
  const points = [...line].slice(0, max);
  return { value: points.join("") + "-".repeat(Math.max(0, min - points.length)), isFree, fitness };
}

export function nearNumbers(nodes: readonly JsonObject[]): readonly number[] {
  const bounds = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"].map((one) => said(nodes, one));
  const known = bounds.filter((one) => typeof one === "number");
  const step = Number(said(nodes, "multipleOf") ?? 1);
  const steps = known.flatMap((one) => [-1, 0, 1].map((more) => (Math.ceil(one / step) + more) * step));
  const middle = known.reduce((sum, one) => sum + one / known.length, 0);
  // Minus zero is a number that JSON cannot write.
  return [0, step, ...known, ...steps, middle].map((one) => one + 0).filter(Number.isFinite);
}
