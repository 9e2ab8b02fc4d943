import type { Mutable } from "../../mutable.ts";
import type { Call, Outcome } from "../../step.ts";
import { cutText } from "../../text/text-span.ts";
import { type EventReading, firstOf } from "../answers.ts";
import { type Json, arrayIn, isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { likeness } from "../requests.ts";
import type { StreamPart } from "../protocol.ts";

/** The API takes its protocol buffers' own names, too. */
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function spelled(object: JsonObject, name: string): string {
  return object[name] === undefined && object[snake(name)] !== undefined ? snake(name) : name;
}

/** The same object, whose members go by both spellings. They are looked up one by one: there may be very many. */
export function named(value: Json): JsonObject {
  const object = objectIn(value);
  if (!Object.keys(object).some((name) => name.includes("_"))) return object;
  return new Proxy(object, { get: (own, name) => own[String(name)] ?? own[snake(String(name))] });
}

export const pathsOf = (...names: readonly string[]) => [names, names.map(snake)];

export function listIn(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : isObject(value) ? [value] : [];
}

export function partsOf(content: Json): readonly JsonObject[] {
  return typeof content === "string"
    ? [{ text: content }]
    : listIn(objectIn(content).parts).filter(isObject).map(named);
}

/** By the API's own words a result stands under `output`, an error under `error`; SDKs write `result`. */
const WRAPPERS: ReadonlySet<string> = new Set(["output", "result", "error"]);

export function responseOutcome(response: Json): Outcome {
  const [[name, value] = [], ...others] = Object.entries(objectIn(response));
  const isWrapped = name !== undefined && others.length === 0 && WRAPPERS.has(name);
  const told = isWrapped ? value : response;
  const text = cutText(stringIn(told) ?? (told === undefined || told === null ? "" : (jsonText(told) ?? "")));
  return isWrapped && name === "error" && text !== "" ? { text, failed: true } : { text };
}

function hostedResultIn({ codeExecutionResult: run, toolResponse: told }: JsonObject) {
  if (!isObject(run))
    return isObject(told) ? { id: nonEmpty(told.id), outcome: responseOutcome(told.response) } : undefined;
  const text = cutText(stringIn(run.output) ?? "");
  const failed = typeof run.outcome === "string" && run.outcome !== "OUTCOME_OK";
  const outcome: Outcome = failed ? { text, failed } : { text };
  return { id: nonEmpty(run.id), outcome };
}

/** What is said, and not only thought. Streams cut it anywhere, so nothing stands between two parts. */
export const wordsIn = (parts: readonly JsonObject[]) =>
  cutText(parts.map(({ thought, text }) => (thought === true ? "" : (stringIn(text) ?? ""))).join(""));

export function partText(part: JsonObject): string {
  const { text, inlineData: inline, fileData: file } = part;
  if (typeof text === "string") return text;
  if (isObject(inline)) return `[${mediumOf(inline)}${likeness(inline.data)}]`;
  if (isObject(file)) return `[${mediumOf(file)}${likeness(named(file).fileUri)}]`;
  return jsonText(part) ?? "";
}

function mediumOf(data: JsonObject): string {
  const [medium = ""] = (stringIn(named(data).mimeType) ?? "").split("/", 1);
  return /^(image|audio|video)$/.test(medium) ? medium : "file";
}

type CallPart = Extract<StreamPart, { readonly call: number }>;

function callReader(): (part: JsonObject) => readonly CallPart[] {
  let calls = 0;
  /** Calls that the API carries out itself and has not answered, by id or else by number. */
  const open = new Map<string | number, number>();
  /** What has come of the arguments of a call whose parts are still to come. */
  let pieces: Map<string, unknown> | undefined;

  const begin = (id: Json, tool: Json): Extract<CallPart, { kind: "call-start" }> => ({
    kind: "call-start",
    call: calls++,
    id: nonEmpty(id),
    tool: stringIn(tool) ?? "",
  });

  const argue = (args: Json): CallPart => ({
    kind: "call-args",
    call: calls - 1,
    text: cutText(jsonText(args ?? {}) ?? "{}"),
  });

  function functionCall(called: JsonObject, part: JsonObject): readonly CallPart[] {
    const { id, name, args, partialArgs, willContinue: goesOn } = named(called);
    const isNew = pieces === undefined || nonEmpty(name) !== undefined;
    // Where a call has no id, its signature, which comes back as it was, still tells it from those of other runs.
    const signature = nonEmpty(part.thoughtSignature)?.slice(-SIGNATURE);
    const start = isNew ? [begin(nonEmpty(id) ?? signature, name)] : [];
    const begun: Map<string, Json> = isNew || pieces === undefined ? new Map() : pieces;
    for (const piece of arrayIn(partialArgs)) grow(begun, named(piece));
    pieces = goesOn === true ? begun : undefined;
    return goesOn === true ? start : [...start, argue(args ?? Object.fromEntries(begun))];
  }

  /** What the API does itself it answers within the turn, by id or one after the other. */
  function answer(part: JsonObject): readonly CallPart[] {
    const result = open.size === 0 ? undefined : hostedResultIn(part);
    const named = open.has(result?.id ?? "") ? result?.id : open.keys().next().value;
    const call = open.get(named ?? "");
    if (result === undefined || call === undefined) return [];
    open.delete(named ?? "");
    return [{ kind: "call-result", call, outcome: result.outcome }];
  }

  return (part) => {
    const { functionCall: called, executableCode: code, toolCall: hosted } = part;
    if (isObject(called)) return functionCall(called, part);
    if (!isObject(code) && !isObject(hosted)) return answer(part);
    const { id, args, toolType, language, code: lines } = named(isObject(code) ? code : hosted);
    open.set(nonEmpty(id) ?? calls, calls);
    const tool = isObject(code) ? "code_execution" : stringIn(toolType)?.toLowerCase();
    const given = isObject(code) ? { language, code: lines } : args;
    return [{ ...begin(id, tool), isHosted: true }, argue(given)];
  };
}

/** So much of a signature's end is like no other. */
const SIGNATURE = 48;

function grow(pieces: Map<string, Json>, piece: JsonObject): void {
  const { jsonPath, stringValue, numberValue, boolValue } = piece;
  const path = (stringIn(jsonPath) ?? "").replace(/^\$\.?/, "");
  const text = stringIn(stringValue);
  const other = numberValue ?? boolValue ?? null;
  pieces.set(path, text === undefined ? other : (stringIn(pieces.get(path)) ?? "") + text);
}

export function callsIn(parts: readonly JsonObject[]): readonly Call[] {
  const read = callReader();
  const calls: Mutable<Call>[] = [];
  for (const one of parts.flatMap(read)) {
    if (one.kind === "call-start") calls.push({ ...(one.id && { id: one.id }), tool: one.tool, args: "{}" });
    const call = calls[one.call];
    if (call !== undefined && one.kind === "call-args") call.args = one.text;
    if (call !== undefined && one.kind === "call-result") call.outcome = one.outcome;
  }
  return calls;
}

export type GeminiStream = { readonly head: JsonObject | undefined };

export function reading({ head: before }: GeminiStream): EventReading<GeminiStream> {
  const callParts = callReader();
  let head = before;
  let begun = false;

  return {
    take(chunk) {
      const { error, responseId, modelVersion, promptFeedback } = chunk;
      if (error !== undefined && error !== null) return [{ kind: "error" }];
      const candidate = firstOf(chunk.candidates);
      // A prompt that is blocked has an answer that says nothing.
      const reason = nonEmpty(candidate?.finishReason) ?? nonEmpty(objectIn(promptFeedback).blockReason);
      const parts: StreamPart[] = [];
      if (!begun && (candidate !== undefined || reason !== undefined)) {
        begun = true;
        head ??= { responseId, modelVersion };
        parts.push({ kind: "start", id: nonEmpty(responseId), model: nonEmpty(modelVersion) });
      }
      for (const part of answerParts(candidate)) {
        const { text, thought } = part;
        if (typeof text !== "string") parts.push(...callParts(part));
        else if (text !== "") parts.push({ kind: thought === true ? "reasoning" : "text", text });
      }
      if (reason !== undefined) parts.push({ kind: "finish", reason });
      return parts;
    },
    progress: () => ({ head }),
  };
}

/** The model has called a function in a way that the API could not read, or one that there is not. */
const FAILED_CALLS: ReadonlySet<unknown> = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

/** A call that the API has thrown away, of which only the reason tells, is one that failed. */
function answerParts({ content, finishReason: reason, finishMessage }: JsonObject = {}): readonly JsonObject[] {
  const parts = partsOf(content);
  if (!FAILED_CALLS.has(reason)) return parts;
  const error = stringIn(finishMessage) ?? reason;
  const failed = [{ toolCall: { toolType: reason, args: { call: error } } }, { toolResponse: { response: { error } } }];
  return [...parts, ...failed];
}
