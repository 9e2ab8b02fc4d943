import type { Step } from "../step.ts";
import type { Work } from "../work.ts";
import { finalFormat } from "./dialects/ends.ts";
import { sectionsOf } from "./dialects/text-turn.ts";
import { isObject, jsonValue } from "./json/json.ts";
import type { ParsedRequest } from "./protocol.ts";

/** Turns without calls that are looked at, the newest ones. */
const LOOKED_AT = 8;
/** Longer ones are no answers that a person reads at once. In characters. */
const MAX_ANSWER = 8_000;
/** Talk about the form itself, announcements, goodbyes: none of them answers anything. */
const NO_ANSWER =
  /\b(correct|right|following|required|expected|exact) format\b|\binvalid format\b|^\W*(let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|i should|i cannot|i can('|’)t|i am unable|sorry)\b/i;

/**
 * The model's own answer: what it keeps saying where the agent demands another form than plain text, and takes none of it
 * for an end. Undefined where it acts, says something else each time, or nothing that answers.
 * @param withheld the answer that has just come, if it has not reached the client
 */
export function modelsAnswer(request: ParsedRequest, withheld?: Step): string | undefined {
  if (finalFormat(request).kind === "text") return undefined;
  const { steps } = request.conversation;
  const turns = withheld === undefined ? steps : [...steps, withheld];
  const acted = turns.findLastIndex(({ calls }) => calls.length > 0);
  const answerTexts = turns
    .slice(Math.max(acted + 1, turns.length - LOOKED_AT))
    .map(({ text }) => answerIn(text, request.work));
  const newest = answerTexts.at(-1);
  if (newest === undefined) return undefined;
  return answerTexts.slice(0, -1).some((text) => text !== undefined && saysTheSame(text, newest)) ? newest : undefined;
}

function answerIn(text: string, work: Work): string | undefined {
  const labelled = sectionsOf(text, work).findLast(({ kind }) => kind === "final")?.body;
  const answer = (labelled ?? text).trim();
  return answer === "" || answer.length > MAX_ANSWER || NO_ANSWER.test(answer) ? undefined : answer;
}

function saysTheSame(one: string, other: string): boolean {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const [first, second] = [words(one), words(other)];
  const shared = [...first].filter((word) => second.has(word)).length;
  return one === other || shared * 3 >= (first.size + second.size - shared) * 2;
}

/**
 * Whether a turn that was to be the last one says nothing: nothing at all, a placeholder, the name of a form, or an echo of what the
 * model was told. What it calls counts as its words where that ends the run. @param note what the model was told
 */
export function saysNothing(
  { text, calls }: Step,
  isEnd: (tool: string) => boolean,
  note: string,
  work: Work,
): boolean {
  const open = calls.filter(({ outcome }) => outcome === undefined);
  if (!open.every(({ tool, args }) => isEnd(tool) || FINAL_CALL.test(args))) return false;
  // What stands in front of code is a thought.
  const words = open.some(({ args }) => FINAL_CALL.test(args)) ? [] : [text];
  const answers = [...words, ...open.map(({ args }) => args)]
    .flatMap((one) => answersIn(one, work))
    .map((answer) => answer.trim());
  if (answers.every((answer) => answer === "")) return open.length === 0 && text.trim() === "";
  const told = lettersOf(note.replace(QUOTATION, " "));
  return answers.every(
    (answer) => answer === "" || PLACEHOLDER.test(answer) || FORM.test(answer) || isEcho(answer, told),
  );
}

const FINAL_CALL = /^\s*final_answer\(/;
const QUOTATION = /"(?:[^"\\]|\\.){0,4000}"/g;
/** A name in brackets that says what should stand there, in any language, and dots. */
const PLACEHOLDER =
  /^(?:<(?=[^>]*(?:[ _\u0080-\uffff]|answer|result|text))[\p{L}\p{M}' _-]{1,80}>|[[{(]{1,2}(?:(?:your|the|insert|final|answer|result|response|output|text|here)[ _]?){1,6}[\])}]{1,2}|\.{3}|…)[.!]?$/iu;
const FORM = /^\W{0,4}(?:(?:your|the) )?(?:(?:final|whole)[ _])?answer(?: here)?\W{0,4}$/i;

/** What a text gives as its answer: behind a label, as the strings of an object, in a call or between tags; else all of it. */
function answersIn(text: string, work: Work): readonly string[] {
  const labelled = sectionsOf(text, work).findLast(({ kind }) => kind === "final")?.body;
  if (text.length > MAX_ANSWER) return [text];
  // A label alone is no more than dots are.
  if (labelled !== undefined) return [labelled.trim() || "…"];
  const value = jsonValue(/\{[\s\S]*\}/.exec(text)?.[0] ?? "", work);
  if (isObject(value)) return stringsIn(value);
  const [, called, tagged] = CALLED.exec(text) ?? [];
  return [called ?? tagged ?? text];
}

const CALLED =
  /\bfinal_answer\(\s{0,8}["']{0,3}([\s\S]{0,400}?)["']{0,3}\s{0,8}\)\s{0,8}(?:<\/code>|```|$)|^\s*<(?:\w{1,32})>([\s\S]*)<\/\w{1,32}>\s*$/;

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Shorter texts may be an answer by chance. In letters. */
const LEAST_ECHO = 12;

function isEcho(answer: string, told: string): boolean {
  const letters = lettersOf(answer.replace(QUOTATION, " "));
  return letters.length >= LEAST_ECHO && told.includes(letters);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
