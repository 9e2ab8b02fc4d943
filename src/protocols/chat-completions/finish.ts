import {
  arrayIn,
  innerEnd,
  insertion,
  type JsonObject,
  type LocatedValue,
  nonEmpty,
  objectIn,
  placedElements,
  placedWithin,
  rootSpan,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { toolChoiceOf } from "./wire.ts";
import { type ActionCarrier, carrierOf } from "../dialects/dialects.ts";

/** The two generations of the API's members for tools. */
const tooling = [
  { list: "tools", choice: "tool_choice", schema: ["function", "parameters"] },
  { list: "functions", choice: "function_call", schema: ["parameters"] },
] as const;

type Tooling = (typeof tooling)[number];

/** A tool to be offered alone. */
interface Only {
  /** As it is to be offered. */
  readonly text: string;
  /** How it is chosen. */
  readonly choice: unknown;
}

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
export function finishSplices(
  body: string,
  request: JsonObject,
  members: ReadonlyMap<string, Span>,
  done: string | undefined,
): readonly Splice[] {
  const set = (key: string, json: string): Splice => {
    const span = members.get(key);
    if (span !== undefined) return { ...span, text: json };
    return insertion(innerEnd(body, rootSpan(body)), `,${JSON.stringify(key)}:${json}`);
  };
  const offers = tooling.map((names) => ({
    names,
    elements: placedElements(body, arrayIn(request[names.list]), members.get(names.list)),
  }));
  for (const find of [named, carrying]) {
    for (const { names, elements } of offers) {
      const only = find(body, names, elements, done);
      if (only === undefined) continue;
      return [set(names.list, `[${only.text}]`), set(names.choice, JSON.stringify(only.choice))];
    }
  }
  // A call that the client forces is one that it cannot do without. The API refuses a choice where nothing is offered.
  const silenced =
    toolChoiceOf(request) !== undefined
      ? []
      : offers.filter(({ elements }) => elements.length > 0).map(({ names }) => set(names.choice, '"none"'));
  return [...silenced, ...formatSplices(body, request, done)];
}

function named(
  body: string,
  names: Tooling,
  elements: readonly LocatedValue<unknown>[],
  done: string | undefined,
): Only | undefined {
  const choice = elements.find(({ value }) => done !== undefined && choiceOf(names.list, value)?.name === done);
  return choice && onlyOf(names, choice, body.slice(choice.span.start, choice.span.end));
}

/** The agent's one tool for all it does: kept, but with no other action than the last. */
function carrying(
  body: string,
  names: Tooling,
  elements: readonly LocatedValue<unknown>[],
  done: string | undefined,
): Only | undefined {
  for (const element of elements) {
    const schema = placedWithin(body, element, names.schema);
    const carrier = carrierOf(schema?.value, done);
    if (schema === undefined || carrier === undefined) continue;
    return onlyOf(names, element, spliced(body, narrowing(body, schema, carrier), element.span));
  }
  return undefined;
}

function onlyOf({ list }: Tooling, { value }: LocatedValue<unknown>, text: string): Only | undefined {
  const choice = choiceOf(list, value)?.choice;
  return choice === undefined ? undefined : { text, choice };
}

function formatSplices(body: string, request: JsonObject, done: string | undefined): readonly Splice[] {
  const whole = { value: request, span: rootSpan(body) };
  const schema = placedWithin(body, whole, ["response_format", "json_schema", "schema"]);
  const carrier = carrierOf(schema?.value, done);
  return schema === undefined || carrier === undefined ? [] : narrowing(body, schema, carrier);
}

function narrowing(body: string, schema: LocatedValue<unknown>, { list, items }: ActionCarrier): readonly Splice[] {
  const place = placedWithin(body, schema, ["properties", list, "items"]);
  return place === undefined || items === undefined ? [] : [{ ...place.span, text: JSON.stringify(items) }];
}

/** The name of an offered tool and how it is chosen. */
function choiceOf(
  list: "tools" | "functions",
  offered: unknown,
): { readonly name: string; readonly choice: unknown } | undefined {
  const tool = objectIn(offered);
  const custom = nonEmpty(objectIn(tool.custom).name);
  const name = list === "functions" ? nonEmpty(tool.name) : (custom ?? nonEmpty(objectIn(tool.function).name));
  if (name === undefined) return undefined;
  if (list === "functions") return { name, choice: { name } };
  return {
    name,
    choice: custom === name ? { type: "custom", custom: { name } } : { type: "function", function: { name } },
  };
}
