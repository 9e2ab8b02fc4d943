import { type ActionCarrier, carrierOf } from "../dialects/dialects.ts";
import {
  arrayIn,
  innerEnd,
  insertion,
  type JsonObject,
  type LocatedValue,
  placedElements,
  placedWithin,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { toolChoiceOf } from "./request.ts";
import { type NumberedTool, listedTools } from "./tools.ts";

/** A request's body, its own text, and where its members stand in it. */
export interface LocatedBody {
  readonly text: string;
  readonly body: JsonObject;
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
}

/** A member's value in place of the one it has, or as a new one. */
export function set({ text, span, members }: LocatedBody, key: string, json: string): Splice {
  const place = members.get(key);
  if (place !== undefined) return { ...place, text: json };
  return insertion(innerEnd(text, span), `,${JSON.stringify(key)}:${json}`);
}

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
export function finishSplices(located: LocatedBody, done: string | undefined): readonly Splice[] {
  const { text, body, members } = located;
  const places = placedElements(text, arrayIn(body.tools), members.get("tools"));
  const tools = listedTools(body.tools);
  const named = tools.find(({ name }) => done !== undefined && name === done);
  if (named !== undefined) return only(located, named, toolText(text, places, named, []));
  for (const tool of tools) {
    const schema = schemaAt(text, places, tool);
    const carrier = carrierOf(schema?.value, done);
    if (schema === undefined || carrier === undefined) continue;
    return only(located, tool, toolText(text, places, tool, narrowing(text, schema, carrier)));
  }
  // The API refuses a choice where nothing is offered.
  const silenced =
    places.length === 0 || toolChoiceOf(body) !== undefined ? [] : [set(located, "tool_choice", '"none"')];
  return [...silenced, ...formatSplices(located, done)];
}

function only(located: LocatedBody, tool: NumberedTool, text: string): readonly Splice[] {
  return [set(located, "tools", `[${text}]`), set(located, "tool_choice", JSON.stringify(choiceOf(tool)))];
}

/** A tool in a namespace has no choice of its own: it is required as the only one there is. */
function choiceOf({ namespace, form, ownName }: NumberedTool): unknown {
  return namespace === undefined ? { type: form, name: ownName } : "required";
}

/** The text of a tool, within its namespace if it has one, and with these splices made in it. */
function toolText(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
  splices: readonly Splice[],
): string {
  const outer = places[at];
  if (outer === undefined) return "";
  if (within === undefined) return spliced(text, splices, outer.span);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  if (list === undefined || inner === undefined) return spliced(text, splices, outer.span);
  return spliced(text, [{ ...list.span, text: `[${spliced(text, splices, inner.span)}]` }], outer.span);
}

function schemaAt(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
): LocatedValue<unknown> | undefined {
  const outer = places[at];
  if (outer === undefined || within === undefined) return outer && placedWithin(text, outer, ["parameters"]);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  return inner && placedWithin(text, inner, ["parameters"]);
}

function formatSplices({ text, body, span }: LocatedBody, done: string | undefined): readonly Splice[] {
  const schema = placedWithin(text, { value: body, span }, ["text", "format", "schema"]);
  const carrier = carrierOf(schema?.value, done);
  return schema === undefined || carrier === undefined ? [] : narrowing(text, schema, carrier);
}

function narrowing(text: string, schema: LocatedValue<unknown>, { list, items }: ActionCarrier): readonly Splice[] {
  const place = placedWithin(text, schema, ["properties", list, "items"]);
  return place === undefined || items === undefined ? [] : [{ ...place.span, text: JSON.stringify(items) }];
}
