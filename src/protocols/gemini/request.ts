import { cutText, joinTexts } from "../../text/text-span.ts";
import type { Message } from "../dialects/dialect.ts";
import { type EditFormat, grown, type PlacedTool } from "../edits.ts";
import { type Json, arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { insertion, type JsonPlace, type Splice } from "../json/place.ts";
import type { AnswerFormat, NeutralHistory, OfferedTool } from "../protocol.ts";
import { heardIn, offeredTool, type RequestFormat } from "../requests.ts";
import { callsIn, listIn, named, partsOf, partText, pathsOf, responseOutcome, spelled, wordsIn } from "./answer.ts";

const isModels = (content: Json) => objectIn(content).role === "model";

function history(body: JsonObject): NeutralHistory {
  const system = joinTexts(partsOf(named(body).systemInstruction).map(partText));
  const told: { message: Message; at: number }[] = [];
  if (system !== "") told.push({ message: { part: "instruction", text: system }, at: -1 });
  let turn: JsonObject[] = [];
  const contents = listIn(body.contents);
  for (const [at, content] of contents.entries()) {
    if (!isModels(content)) {
      for (const message of heardIn(partsOf(content), (part) => resultIn(part) ?? partText(part)))
        told.push({ message, at });
      continue;
    }
    for (const part of partsOf(content)) turn.push(part);
    // Clients that read a stream keep a content for each chunk: what the model says without anything between is one turn.
    if (isModels(contents[at + 1])) continue;
    told.push({ message: { part: "assistant", text: wordsIn(turn), calls: callsIn(turn) }, at });
    turn = [];
  }
  return told;
}

function resultIn({ functionResponse: told }: JsonObject): Message | undefined {
  if (!isObject(told)) return undefined;
  const pictures = listIn(told.parts).filter(isObject).map(partText);
  const outcome = responseOutcome(told.response);
  const text = cutText([outcome.text, ...pictures].join("\n"));
  return { part: "result", id: nonEmpty(told.id), tool: nonEmpty(told.name), ...outcome, text };
}

export function isRequest(body: Json): boolean {
  return listIn(objectIn(body).contents).some((content) => partsOf(content).length > 0);
}

function offeredTools(body: JsonObject): readonly OfferedTool[] {
  const may = allowedNames(body);
  const declared = listIn(body.tools).flatMap((tool) => listIn(named(tool).functionDeclarations));
  return declared.flatMap((one): readonly OfferedTool[] => {
    const { name, description, parameters, parametersJsonSchema: schema } = named(one);
    if (may?.has(String(name)) === false) return [];
    return offeredTool(name, description, schema ?? jsonSchema(parameters));
  });
}

function callingConfig(body: JsonObject): JsonObject {
  return named(named(named(body).toolConfig).functionCallingConfig);
}

function allowedNames(body: JsonObject): ReadonlySet<string> | undefined {
  const names = arrayIn(callingConfig(body).allowedFunctionNames).flatMap((name) => nonEmpty(name) ?? []);
  return names.length === 0 ? undefined : new Set(names);
}

/** Tools and instructions are kept with a cached content; the API refuses others beside it. */
function isCached(body: JsonObject): boolean {
  const { cachedContent: cached } = named(body);
  return isObject(cached) || nonEmpty(cached) !== undefined;
}

function formatOf({ responseJsonSchema, responseSchema, responseMimeType }: JsonObject): AnswerFormat {
  const schema = responseJsonSchema ?? jsonSchema(responseSchema);
  const mime = stringIn(responseMimeType)?.toLowerCase();
  if (isObject(schema) && mime !== "text/x.enum") return { kind: "schema", schema };
  return mime === "application/json" ? { kind: "json" } : { kind: "text" };
}

const MAX_DEPTH = 32;
const COUNT = /^(min|max)(Items|Length|Properties)$/;

/** A schema of this API, which is an OpenAPI one, as JSON Schema: types in lower case, counts as numbers, null as a type. */
function jsonSchema(schema: Json, depth = 0): Json {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(schema)) return schema.map((one) => jsonSchema(one, depth + 1));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, value]): [string, Json] => {
    if (name === "type" && typeof value === "string")
      return [name, schema.nullable === true ? [value.toLowerCase(), "null"] : value.toLowerCase()];
    if (COUNT.test(name) && typeof value === "string") return [name, Number(value)];
    if (name === "items" || name === "anyOf") return [name, jsonSchema(value, depth + 1)];
    if (name !== "properties" || !isObject(value)) return [name, value];
    const members = Object.entries(value).map(([key, inner]) => [key, jsonSchema(inner, depth + 1)]);
    return [name, Object.fromEntries(members)];
  });
  return Object.fromEntries(entries);
}

function elementsOf(list: JsonPlace | undefined): readonly JsonPlace[] {
  return list !== undefined && isObject(list.value) ? [list] : (list?.elements() ?? []);
}

const keyIn = ({ value }: JsonPlace, name: string) => spelled(objectIn(value), name);

const edits: EditFormat = {
  instruct(body, texts) {
    if (isCached(objectIn(body.value))) return [];
    const key = keyIn(body, "systemInstruction");
    const place = body.at(key);
    if (place !== undefined && isObject(place.value)) return withParts(place, texts);
    const said = typeof place?.value === "string" ? [place.value, ...texts] : texts;
    return [body.put(key, JSON.stringify({ parts: said.map((text) => ({ text })) }))];
  },
  entries: (body) => elementsOf(body.at("contents")),
  extended,
  said: () => undefined,
  offers,
  mayNarrow: ({ value }) => !isCached(objectIn(value)),
  silence(body) {
    const value = objectIn(body.value);
    return isCached(value) || offeredTools(value).length === 0 ? [] : [chosen(body, '{"mode":"NONE"}')];
  },
  schemas: [...pathsOf("generationConfig", "responseSchema"), ...pathsOf("generationConfig", "responseJsonSchema")],
};

function offers(body: JsonPlace): readonly PlacedTool[] {
  const may = allowedNames(objectIn(body.value));
  const declared = elementsOf(body.at("tools")).flatMap((tool) =>
    elementsOf(tool.at(keyIn(tool, "functionDeclarations"))),
  );
  return declared.flatMap((one): readonly PlacedTool[] => {
    const name = nonEmpty(objectIn(one.value).name);
    if (name === undefined || may?.has(name) === false) return [];
    const schema = one.at("parameters");
    const alone = (splices: readonly Splice[]) => [
      body.put("tools", `[{"functionDeclarations":[${one.json(splices)}]}]`),
      chosen(body, JSON.stringify({ mode: "ANY", allowedFunctionNames: [name] })),
    ];
    const read = schema && { ...schema, value: jsonSchema(schema.value) };
    return [{ name, schema: one.at(keyIn(one, "parametersJsonSchema")) ?? read, alone }];
  });
}

function chosen(body: JsonPlace, choice: string): Splice {
  const key = keyIn(body, "toolConfig");
  const config = body.at(key);
  if (config === undefined || !isObject(config.value)) return body.put(key, `{"functionCallingConfig":${choice}}`);
  return config.put(keyIn(config, "functionCallingConfig"), choice);
}

function extended(content: JsonPlace, texts: readonly string[]): readonly Splice[] {
  const last = elementsOf(content.at("parts")).at(-1);
  const response = last?.at(keyIn(last, "functionResponse"), "response");
  if (response === undefined || !isObject(response.value)) return withParts(content, texts);
  return withinResponse(response, Object.keys(response.value), texts);
}

/** A part of its own behind the response would begin another turn, by which the API judges what has to be signed. */
function withinResponse(response: JsonPlace, names: readonly string[], texts: readonly string[]): readonly Splice[] {
  const telling = names.find((name) => name === "output" || name === "error") ?? (names.length === 1 ? names[0] : "");
  const inner = response.at(telling ?? "");
  if (inner !== undefined && typeof inner.value === "string") return grown(response, telling ?? "", texts);
  const place = inner !== undefined && isObject(inner.value) ? inner : response;
  return [place.put("note" in objectIn(place.value) ? "unloop" : "note", JSON.stringify(texts.join("\n\n")))];
}

function withParts(content: JsonPlace, texts: readonly string[]): readonly Splice[] {
  const added = texts.map((text) => JSON.stringify({ text })).join(",");
  const parts = content.at("parts");
  if (parts === undefined) return [content.put("parts", `[${added}]`)];
  if (isObject(parts.value)) return [insertion(parts.start, "["), insertion(parts.end, `,${added}]`)];
  return Array.isArray(parts.value) ? [parts.add(added)] : [];
}

export const requests: RequestFormat = {
  isRequest,
  sampling: ["model", "cachedContent", ...["temperature", "topP", "seed"].map((name) => `generationConfig.${name}`)],
  list: "contents",
  history,
  terms(body) {
    const generation = named(named(body).generationConfig);
    const { candidateCount: candidates } = generation;
    const tools = offeredTools(body);
    const isForced = stringIn(callingConfig(body).mode)?.toUpperCase() === "ANY";
    const [tool, ...others] = [...(allowedNames(body) ?? [])];
    const choice = tool === undefined || others.length > 0 ? "any" : { tool };
    return {
      tools,
      hasTools: tools.length > 0 || isCached(body),
      toolChoice: isForced ? choice : undefined,
      format: formatOf(generation),
      alternatives: typeof candidates === "number" && candidates > 1,
    };
  },
  edits,
  delta: {
    // It names calls, too, and whatever else has an id: these are hints.
    resultKey: "id",
    goesOn: (body) => isModels(listIn(body.contents).at(-1)),
  },
};
