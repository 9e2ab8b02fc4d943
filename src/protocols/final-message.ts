import { carrierOf, narrowed } from "./dialects/dialects.ts";
import { jsonText, objectIn } from "./json/json.ts";
import type { FinalAnswer, OfferedTool, ParsedRequest } from "./protocol.ts";
import { fillSchema } from "./schema-fill/schema-fill.ts";

/** Our own final answer as an assistant message, before a wire format writes it down. */
export interface FinalMessage {
  /** Null where it is a call and nothing else. */
  readonly text: string | null;
  readonly call?: { readonly tool: OfferedTool; readonly args: string };
}

/** What to say: a call of the done tool, JSON in the demanded shape, the agent's own dialect, or plain text. */
export function finalMessageOf(request: ParsedRequest, final: FinalAnswer): FinalMessage {
  return givenCall(request, final) ?? doneCall(request, final) ?? { text: shapedText(request, final) };
}

/** Undefined unless a call is given, and its tool offered. */
function givenCall({ tools }: ParsedRequest, { call }: FinalAnswer): FinalMessage | undefined {
  const tool = tools.find(({ name }) => name === call?.tool);
  return call === undefined || tool === undefined ? undefined : { text: null, call: { tool, args: call.args } };
}

/** Undefined if there is no such tool, or no arguments satisfy its schema. */
function doneCall(request: ParsedRequest, { text, doneTool, succeeded }: FinalAnswer): FinalMessage | undefined {
  const tool = request.tools.find(({ name }) => name === doneTool) ?? carrierTool(request, doneTool);
  if (tool === undefined) return undefined;
  if (tool.form === "custom") return { text: null, call: { tool, args: text } };
  const args = jsonText(fillSchema(asObject(tool.schema), text, succeeded ? "well" : "badly"));
  if (args === undefined) return undefined;
  // Arguments that have no place for the text must not lose it.
  const isTold = args.includes(JSON.stringify(text).slice(1, -1));
  return { text: isTold ? null : text, call: { tool, args } };
}

/** A tool that carries all of the agent's actions, with the last one as the only one left. */
function carrierTool({ tools }: ParsedRequest, done: string | undefined): OfferedTool | undefined {
  for (const tool of tools) {
    const carrier = carrierOf(tool.schema, done);
    if (carrier !== undefined) return { ...tool, schema: narrowed(tool.schema, carrier) };
  }
  return undefined;
}

/** Arguments are an object even where the schema leaves that unsaid. */
function asObject(schema: unknown): unknown {
  return { type: "object", ...objectIn(schema) };
}

function shapedText({ format }: ParsedRequest, { text, doneTool, succeeded }: FinalAnswer): string {
  const ended = succeeded ? "well" : "badly";
  switch (format.kind) {
    case "text":
      return text;
    case "dialect":
      return format.dialect.finalText({ ...format, text, ended });
    case "json":
      return JSON.stringify({ message: text });
    case "schema": {
      const carrier = carrierOf(format.schema, doneTool);
      const schema = carrier === undefined ? format.schema : narrowed(format.schema, carrier);
      return jsonText(fillSchema(schema, text, ended)) ?? text;
    }
  }
}
