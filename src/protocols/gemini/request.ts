import { cutText, joinTexts } from "../../text/text-span.ts";
import type { Message } from "../dialects/dialects.ts";
import type { EditFormat, PlacedTool } from "../edits.ts";
import {
  arrayIn,
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedBody,
  type LocatedValue,
  membersOf,
  memberSplice,
  nonEmpty,
  objectIn,
  placedElements,
  placedWithin,
  type Span,
  type Splice,
  spliced,
  stringIn,
} from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import { type NeutralHistory, offeredTool, type RequestFormat } from "../requests.ts";
import {
  callsIn,
  listIn,
  memberOf,
  type PartResult,
  partsOf,
  partText,
  pathsOf,
  responseOutcome,
  spelled,
  wordsIn,
} from "./answer.ts";

// --- what it tells ---

function isModels(content: unknown): boolean {
  return objectIn(content).role === "model";
}

/** One content of a user may be several messages, for it has the results in it. */
function history(body: JsonObject): NeutralHistory {
  const system = instructionText(body);
  const messages: Message[] = system === "" ? [] : [{ part: "instruction", text: system }];
  const at: number[] = messages.map(() => -1);
  let turn: JsonObject[] = [];
  const contents = listIn(body.contents);
  for (const [index, content] of contents.entries()) {
    if (isModels(content)) {
      for (const part of partsOf(content)) turn.push(part);
      // Clients that read a stream keep a content for each chunk: what the model says without anything between is one turn.
      if (isModels(contents[index + 1])) continue;
    }
    const said: Message = { part: "assistant", text: wordsIn(turn), calls: callsIn(turn) };
    const told = isModels(content) ? [said] : heardIn(partsOf(content));
    messages.push(...told);
    at.push(...told.map(() => index));
    turn = [];
  }
  return { messages, at };
}

function instructionText(body: JsonObject): string {
  return joinTexts(partsOf(memberOf(body, "systemInstruction")).map(partText));
}

function heardIn(parts: readonly JsonObject[]): readonly Message[] {
  const said: string[] = [];
  const results: Message[] = [];
  for (const part of parts) {
    const result = functionResultIn(part);
    if (result === undefined) said.push(partText(part));
    else results.push({ part: "result", id: result.id, tool: result.tool, ...result.outcome });
  }
  const text = joinTexts(said.filter((one) => one.trim() !== ""));
  return text === "" ? results : [...results, { part: "user", text }];
}

/** A function's result, as the client tells it. */
function functionResultIn(part: JsonObject): (PartResult & { readonly tool: string | undefined }) | undefined {
  const told = memberOf(part, "functionResponse");
  if (!isObject(told)) return undefined;
  const pictures = listIn(told.parts).filter(isObject).map(partText);
  const { text, failed } = responseOutcome(told.response);
  const whole = cutText([text, ...pictures].join("\n"));
  const outcome = failed ? { text: whole, failed } : { text: whole };
  return { id: nonEmpty(told.id), tool: nonEmpty(told.name), outcome };
}

// --- what it asks for ---

export function isRequest(body: unknown): boolean {
  return listIn(objectIn(body).contents).some((content) => partsOf(content).length > 0);
}

/** Functions that the client lets the model call. Tools that the API runs itself have no declarations. */
function offeredTools(body: JsonObject): readonly OfferedTool[] {
  const may = allowedNames(body);
  const declared = listIn(body.tools).flatMap((tool) => listIn(memberOf(objectIn(tool), "functionDeclarations")));
  return declared.flatMap((one): readonly OfferedTool[] => {
    const { name, description, ...others } = objectIn(one);
    if (may?.has(String(name)) === false) return [];
    return offeredTool(name, description, memberOf(others, "parametersJsonSchema") ?? jsonSchema(others.parameters));
  });
}

function callingConfig(body: JsonObject): JsonObject {
  return objectIn(memberOf(objectIn(memberOf(body, "toolConfig")), "functionCallingConfig"));
}

/** Set where the client forces a call: of any function, or of one. */
function forcedChoice(body: JsonObject): ParsedRequest["toolChoice"] {
  if (stringIn(callingConfig(body).mode)?.toUpperCase() !== "ANY") return undefined;
  const [tool, ...others] = [...(allowedNames(body) ?? [])];
  return tool === undefined || others.length > 0 ? "any" : { tool };
}

/** Functions that alone may be called, under a forced choice or a validated one. Undefined: all of them may. */
function allowedNames(body: JsonObject): ReadonlySet<string> | undefined {
  const names = arrayIn(memberOf(callingConfig(body), "allowedFunctionNames")).flatMap((name) => nonEmpty(name) ?? []);
  return names.length === 0 ? undefined : new Set(names);
}

/** Tools and instructions are kept with a cached content; the API refuses others beside it. */
function isCached(body: JsonObject): boolean {
  const cached = memberOf(body, "cachedContent");
  return isObject(cached) || nonEmpty(cached) !== undefined;
}

function formatOf(generation: JsonObject): AnswerFormat {
  const schema = memberOf(generation, "responseJsonSchema") ?? jsonSchema(memberOf(generation, "responseSchema"));
  const mime = stringIn(memberOf(generation, "responseMimeType"))?.toLowerCase();
  if (isObject(schema) && mime !== "text/x.enum") return { kind: "schema", schema };
  return mime === "application/json" ? { kind: "json" } : { kind: "text" };
}

/** Deeper schemas are read no further: they ask for anything. */
const MAX_DEPTH = 32;
const COUNT = /^(min|max)(Items|Length|Properties)$/;

/** A schema of this API, which is an OpenAPI one, as JSON Schema: types in lower case, counts as numbers, null as a type. */
function jsonSchema(schema: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(schema)) return schema.map((one) => jsonSchema(one, depth + 1));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => {
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

// --- what may be changed ---

/** A list's elements; what stands in the place of a list is the one element. */
function elementsAt(text: string, value: unknown, span: Span | undefined): readonly LocatedValue<unknown>[] {
  if (span !== undefined && isObject(value)) return [{ value, span }];
  return placedElements(text, listIn(value), span);
}

const edits: EditFormat = {
  instructions: ({ body }) => [instructionText(body)],
  instruct(located, texts) {
    const { text, body, members } = located;
    if (isCached(body)) return [];
    const key = spelled(body, "systemInstruction");
    const [value, span] = [body[key], members.get(key)];
    if (isObject(value) && span !== undefined) return withParts(text, { value, span }, texts);
    const said = typeof value === "string" ? [value, ...texts] : texts;
    return [memberSplice(located, key, JSON.stringify({ parts: said.map((one) => ({ text: one })) }))];
  },
  entries: ({ text, body, members }) => elementsAt(text, body.contents, members.get("contents")),
  isHeard: (content) => isObject(content) && !isModels(content),
  bringsResult: (content, call) => partsOf(content).some((part) => functionResultIn(part)?.id === call),
  extended,
  // What follows a turn is what was heard, or else it is the end, behind which the model is to go on.
  inserted: () => [],
  offers,
  mayNarrow: ({ body }) => !isCached(body),
  silence: (located) =>
    isCached(located.body) || offeredTools(located.body).length === 0 ? [] : [choiceSplice(located, '{"mode":"NONE"}')],
  schemas: [...pathsOf("generationConfig", "responseSchema"), ...pathsOf("generationConfig", "responseJsonSchema")],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  const may = allowedNames(body);
  const declared = elementsAt(text, body.tools, members.get("tools")).flatMap(({ value, span }) => {
    const key = spelled(objectIn(value), "functionDeclarations");
    return elementsAt(text, objectIn(value)[key], membersOf(text, span).get(key));
  });
  return declared.flatMap((one): readonly PlacedTool[] => {
    const name = nonEmpty(objectIn(one.value).name);
    if (name === undefined || may?.has(name) === false) return [];
    const plain = placedWithin(text, one, [spelled(objectIn(one.value), "parametersJsonSchema")]);
    const schema = placedWithin(text, one, ["parameters"]);
    return [
      {
        name,
        schema: plain ?? (schema && { ...schema, value: jsonSchema(schema.value) }),
        alone: (splices) => [
          memberSplice(located, "tools", `[{"functionDeclarations":[${spliced(text, splices, one.span)}]}]`),
          choiceSplice(located, JSON.stringify({ mode: "ANY", allowedFunctionNames: [name] })),
        ],
      },
    ];
  });
}

/** The choice among functions; what else the client configures stays. */
function choiceSplice(located: LocatedBody, choice: string): Splice {
  const { text, body, members } = located;
  const key = spelled(body, "toolConfig");
  const [config, span] = [body[key], members.get(key)];
  if (!isObject(config) || span === undefined) return memberSplice(located, key, `{"functionCallingConfig":${choice}}`);
  const name = spelled(config, "functionCallingConfig");
  const inner = membersOf(text, span);
  const place = inner.get(name);
  if (place !== undefined) return { ...place, text: choice };
  return insertion(innerEnd(text, span), `${inner.size === 0 ? "" : ","}"${name}":${choice}`);
}

/** At the end of what the last function gave back; behind words as words of their own. */
function extended(text: string, content: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const parts = elementsAt(text, content.value.parts, membersOf(text, content.span).get("parts"));
  const last = parts.at(-1);
  const key = spelled(objectIn(last?.value), "functionResponse");
  const response = last && placedWithin(text, last, [key, "response"]);
  if (isObject(response?.value))
    return [withinResponse(text, { value: response.value, span: response.span }, texts.join("\n\n"))];
  return withParts(text, content, texts);
}

/**
 * In a response, where the model reads it: that is under `output` or `error` where there is one of these, else all of it. A part
 * of its own behind the response would begin another turn, by which the API judges what has to be signed.
 */
function withinResponse(text: string, response: LocatedValue<JsonObject>, words: string): Splice {
  const names = Object.keys(response.value);
  const telling = names.find((name) => name === "output" || name === "error") ?? (names.length === 1 ? names[0] : "");
  const inner = placedWithin(text, response, [telling ?? ""]);
  if (typeof inner?.value === "string") {
    const more = inner.value === "" ? words : `\n\n${words}`;
    return insertion(inner.span.end - 1, JSON.stringify(more).slice(1, -1));
  }
  const { value, span } = isObject(inner?.value) ? { ...inner, value: inner.value } : response;
  const comma = Object.keys(value).length === 0 ? "" : ",";
  const name = "note" in value ? "unloop" : "note";
  return insertion(innerEnd(text, span), `${comma}"${name}":${JSON.stringify(words)}`);
}

/** A content with these texts as parts behind its own. */
function withParts(text: string, content: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const added = texts.map((one) => JSON.stringify({ text: one })).join(",");
  const members = membersOf(text, content.span);
  const span = members.get("parts");
  if (span === undefined)
    return [insertion(innerEnd(text, content.span), `${members.size === 0 ? "" : ","}"parts":[${added}]`)];
  const { parts } = content.value;
  if (isObject(parts)) return [insertion(span.start, "["), insertion(span.end, `,${added}]`)];
  return Array.isArray(parts) ? [insertion(innerEnd(text, span), `${parts.length === 0 ? "" : ","}${added}`)] : [];
}

export const requests: RequestFormat = {
  isRequest,
  // The URL says it.
  streams: () => false,
  sampling: ["model", "cachedContent", ...["temperature", "topP", "seed"].map((name) => `generationConfig.${name}`)],
  list: "contents",
  history,
  terms(body) {
    const generation = objectIn(memberOf(body, "generationConfig"));
    const candidates = memberOf(generation, "candidateCount");
    const tools = offeredTools(body);
    return {
      tools,
      hasTools: tools.length > 0 || isCached(body),
      toolChoice: forcedChoice(body),
      format: formatOf(generation),
      alternatives: typeof candidates === "number" && candidates > 1,
    };
  },
  edits,
  delta: {
    // It names calls, too, and whatever else has an id: these are hints.
    resultKey: "id",
    // What the model says goes on with what it has said.
    members: (body) => (isModels(listIn(body.contents).at(-1)) ? undefined : Object.keys(body)),
  },
};
