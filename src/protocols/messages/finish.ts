import { type ActionCarrier, carrierOf } from "../dialects/dialects.ts";
import {
  arrayIn,
  innerEnd,
  insertion,
  type JsonObject,
  type LocatedValue,
  objectIn,
  placedElements,
  placedWithin,
  rootSpan,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { thinks, toolChoiceOf } from "./request.ts";

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
export function finishSplices(
  text: string,
  body: JsonObject,
  members: ReadonlyMap<string, Span>,
  done: string | undefined,
): readonly Splice[] {
  const set = (key: string, value: unknown, isJson = false): Splice => {
    const span = members.get(key);
    const json = isJson ? String(value) : JSON.stringify(value);
    if (span !== undefined) return { ...span, text: json };
    return insertion(innerEnd(text, rootSpan(text)), `,${JSON.stringify(key)}:${json}`);
  };
  const tools = placedElements(text, arrayIn(body.tools), members.get("tools"));
  const only = named(text, tools, done) ?? wrapping(text, tools, done);
  if (only === undefined) {
    // A call that the client forces is one that it cannot do without. The API refuses a choice where nothing is offered.
    const silenced =
      tools.length === 0 || toolChoiceOf(body) !== undefined ? [] : [set("tool_choice", { type: "none" })];
    return [...silenced, ...formatSplices(text, body, done)];
  }
  // Tools that the history refers to must be on offer, and while the model thinks none may be chosen: then the note's words must do.
  if (thinks(body) || text.includes('"tool_reference"')) return [];
  return [set("tools", only.text, true), set("tool_choice", { type: "tool", name: only.name })];
}

/** A tool to be offered alone, as it is to be offered. */
interface Only {
  readonly name: unknown;
  readonly text: string;
}

function named(text: string, tools: readonly LocatedValue<unknown>[], done: string | undefined): Only | undefined {
  const tool = done === undefined ? undefined : tools.find(({ value }) => objectIn(value).name === done);
  return tool && { name: done, text: `[${text.slice(tool.span.start, tool.span.end)}]` };
}

/** The agent's one tool for all it does: kept, but with no other action than the last. */
function wrapping(text: string, tools: readonly LocatedValue<unknown>[], done: string | undefined): Only | undefined {
  for (const tool of tools) {
    const schema = placedWithin(text, tool, ["input_schema"]);
    const carrier = carrierOf(schema?.value, done);
    if (schema === undefined || carrier === undefined) continue;
    const narrow = spliced(text, narrowed(text, schema, carrier), tool.span);
    return { name: objectIn(tool.value).name, text: `[${narrow}]` };
  }
  return undefined;
}

function formatSplices(text: string, body: JsonObject, done: string | undefined): readonly Splice[] {
  const whole = { value: body, span: rootSpan(text) };
  for (const path of [
    ["output_config", "format", "schema"],
    ["output_format", "schema"],
  ]) {
    const schema = placedWithin(text, whole, path);
    const carrier = carrierOf(schema?.value, done);
    if (schema !== undefined && carrier !== undefined) return narrowed(text, schema, carrier);
  }
  return [];
}

function narrowed(text: string, schema: LocatedValue<unknown>, { list, items }: ActionCarrier): readonly Splice[] {
  const place = placedWithin(text, schema, ["properties", list, "items"]);
  return place === undefined || items === undefined ? [] : [{ ...place.span, text: JSON.stringify(items) }];
}
