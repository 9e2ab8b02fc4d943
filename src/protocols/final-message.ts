import { beginningOf, framedText } from "./dialects/dialect.ts";
import { carrierOf, finalFormat, isAnswerRefused, narrowed } from "./dialects/ends.ts";
import { isObject, objectIn, jsonValue } from "./json/json.ts";
import type { FinalAnswer, OfferedTool, ParsedRequest } from "./protocol.ts";
import { honestJson, satisfies } from "./schema-fill/schema-fill.ts";

export interface FinalMessage {
  readonly text: string | null;
  readonly call?: FinalCall;
  /** The text declines to answer: any value of the demanded shape would state a decision that was never made. */
  readonly isRefusal?: true;
}

export interface FinalCall {
  readonly tool: OfferedTool;
  readonly args: string;
}

export function finalMessageOf(request: ParsedRequest, final: FinalAnswer): FinalMessage {
  const { call } = final;
  const tool = request.tools.find(({ name }) => name === call?.tool);
  if (call !== undefined && tool !== undefined) return { text: null, call: { tool, args: call.args } };
  return doneCall(request, final) ?? shapedText(request, final);
}

/**
 * Whether an error is the only honest end: the client has refused an answer of ours, or it demands a call that cannot be made, since
 * no arguments of the end tool could be told without deciding something for the user, or there is none, and the client has gone on
 * behind an answer in words.
 */
export function cannotEnd(request: ParsedRequest, final: FinalAnswer, hasGoneOn: boolean): boolean {
  if (hasGoneOn && isAnswerRefused(request)) return true;
  if (request.toolChoice === undefined || request.tools.length === 0) return false;
  return doneTool(request, final.doneTool) === undefined ? hasGoneOn : doneCall(request, final) === undefined;
}

function doneTool(request: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  return request.tools.find(({ name }) => name === done) ?? carrierTool(request, done);
}

/** Undefined if there is no such tool, or no arguments satisfy its schema without deciding anything. */
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

function carrierTool({ tools }: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  for (const tool of tools) {
    const carrier = carrierOf(tool.schema, done);
    if (carrier !== undefined) return { ...tool, schema: narrowed(tool.schema, carrier) };
  }
  return undefined;
}

/** Arguments are an object even where the schema leaves that unsaid. */
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
      const carrier = carrierOf(format.schema, done);
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
