import { beginningOf, framedText } from "./dialects/dialect.ts";
import { carrierOf, finalFormat, isAnswerRefused, narrowed } from "./dialects/ends.ts";
import { type Json, isObject, jsonValue, objectIn } from "./json/json.ts";
import type { AnswerFormat, FinalAnswer, OfferedTool, ParsedRequest } from "./protocol.ts";
import { honestJson, satisfies } from "./schema-fill/schema-fill.ts";
import type { Step } from "../step.ts";
import type { Work } from "../work.ts";
import { sectionsOf } from "./dialects/text-turn.ts";

export interface FinalMessage {
  readonly text: string | null;
  readonly call?: FinalCall;
  /** The text declines to answer: any value of the demanded shape would state a decision that was never made. */
  readonly isRefusal?: true;
}

export type FinalCall = { readonly tool: OfferedTool; readonly args: string };

export function finalMessageOf(request: ParsedRequest, final: FinalAnswer): FinalMessage {
  const { call } = final;
  const tool = request.tools.find(({ name }) => name === call?.tool);
  if (call !== undefined && tool !== undefined) return { text: null, call: { tool, args: call.args } };
  return doneCall(request, final) ?? shapedText(request, final);
}

/** Whether an error is the only honest end: our answer was refused, or a call is demanded that cannot be made without a decision. */
export function cannotEnd(request: ParsedRequest, final: FinalAnswer, hasGoneOn: boolean): boolean {
  if (hasGoneOn && isAnswerRefused(request)) return true;
  if (request.toolChoice === undefined || request.tools.length === 0) return false;
  return doneTool(request, final.doneTool) === undefined ? hasGoneOn : doneCall(request, final) === undefined;
}

function doneTool(request: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  return request.tools.find(({ name }) => name === done) ?? carrierTool(request, done);
}

function doneCall(request: ParsedRequest, { text, doneTool: done, succeeded }: FinalAnswer): FinalMessage | undefined {
  const tool = doneTool(request, done);
  if (tool === undefined) return undefined;
  if (tool.form === "custom") return { text: null, call: { tool, args: text } };
  // Arguments are an object even where the schema leaves that unsaid.
  const schema = { type: "object", ...objectIn(tool.schema) };
  const args = honestJson(schema, text, endedBy(succeeded), request.work);
  if (args === undefined) return undefined;
  // Arguments that have no place for the text must not lose it.
  return { text: args.includes(JSON.stringify(text).slice(1, -1)) ? null : text, call: { tool, args } };
}

const endedBy = (succeeded = false) => (succeeded ? "well" : "badly");

function carrierTool({ tools, work }: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  for (const tool of tools) {
    const carrier = carrierOf(tool.schema, done, work);
    if (carrier !== undefined) return { ...tool, schema: narrowed(tool.schema, carrier) };
  }
  return undefined;
}

function shapedText(request: ParsedRequest, final: FinalAnswer): FinalMessage {
  const { text, doneTool: done, succeeded } = final;
  const format = finalFormat(request);
  const ended = endedBy(succeeded);
  switch (format.kind) {
    case "text":
      return { text };
    case "dialect": {
      const { finalText, frame } = format.dialect;
      if (finalText !== undefined) return { text: finalText({ ...format, text, ended }) };
      const around = frame?.(format);
      return { text: around === undefined ? text : framedText(around, text) };
    }
    case "json":
      return { text: isObject(jsonValue(text, request.work)) ? text : JSON.stringify({ message: text }) };
    case "schema": {
      const carrier = carrierOf(format.schema, done, request.work);
      const schema = carrier === undefined ? format.schema : narrowed(format.schema, carrier);
      // The model has given its answer in this form already.
      if (satisfies(schema, jsonValue(text, request.work), request.work)) return { text };
      const json = honestJson(schema, text, ended, request.work);
      return json === undefined ? { text, isRefusal: true } : { text: json };
    }
  }
}

/** How the last answer has to be. `begun`: the agent acts in text alone, and any text in the frame of its form is an end. */
export function lastForm(request: ParsedRequest) {
  const format = finalFormat(request);
  const { kind } = format;
  if (kind !== "dialect") return { isWhole: kind !== "text", note: undefined, begun: undefined };
  const { dialect } = format;
  const isAlone = request.tools.length === 0 && !request.alternatives && request.previousAnswerId === undefined;
  const frame = isAlone ? dialect.frame?.(format) : undefined;
  // A model that acts all the same has not gone on behind the beginning.
  const acts = (text: string) => dialect.read(text, "answer", request.work) !== undefined;
  const framed = (text: string) => (frame === undefined || acts(text) ? text : framedText(frame, text));
  const begun = frame && { beginning: beginningOf(frame), framed };
  return { isWhole: dialect.isWhole === true, note: dialect.finishNote?.(format), begun };
}

const LOOKED_AT = 8;
/** Longer ones are no answers that a person reads at once. In characters. */
const MAX_ANSWER = 8_000;
/** Talk about the form itself, announcements, goodbyes: none of them answers anything. */
const NO_ANSWER =
  /\b(correct|right|following|required|expected|exact) format\b|\binvalid format\b|^\W*(let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|i should|i cannot|i can('|’)t|i am unable|sorry)\b/i;

/** What the model keeps saying where the agent demands another form than plain text. @param withheld the answer that has just come */
export function modelsAnswer(request: ParsedRequest, withheld?: Step): string | undefined {
  const format = finalFormat(request);
  if (format.kind === "text") return undefined;
  const { steps } = request.conversation;
  const turns = withheld === undefined ? steps : [...steps, withheld];
  const acted = turns.findLastIndex(({ calls }) => calls.length > 0);
  const answerTexts = turns
    .slice(Math.max(acted + 1, turns.length - LOOKED_AT))
    .map(({ text }) => answerIn(text, request.work));
  const newest = answerTexts.at(-1);
  if (newest === undefined) return undefined;
  const isAgain = (text?: string) =>
    text !== undefined && saysTheSame(text, newest) && !isInForm(text, format, request.work);
  return answerTexts.slice(0, -1).some(isAgain) ? newest : undefined;
}

/** An agent that has got such an object and goes on takes it for no end: it may have carried out what it says. */
function isInForm(text: string, format: AnswerFormat, work: Work): boolean {
  const value = jsonValue(text, work);
  if (!isObject(value) || (format.kind === "dialect" && format.dialect.finalText === undefined)) return false;
  return format.kind !== "schema" || satisfies(format.schema, value, work);
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

/** Whether a last turn says nothing: a placeholder, a form's name, an echo. @param note what the model was told */
export function saysNothing({ text, calls }: Step, isEnd: (tool: string) => boolean, note: string, work: Work) {
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

function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Shorter texts may be an answer by chance. In letters. */
const LEAST_ECHO = 12;

function isEcho(answer: string, told: string): boolean {
  const letters = lettersOf(answer.replace(QUOTATION, " "));
  return letters.length >= LEAST_ECHO && told.includes(letters);
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
