import { historyOf } from "../dialects/dialects.ts";
import {
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedValue,
  membersOf,
  nonEmpty,
  objectIn,
  placedElements,
  placedWithin,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import { type EditRecord, type FinishFormat, type LocatedBody, memberSplice, type PlacedTool } from "../wire-format.ts";
import { noteSplices } from "../note-splices.ts";
import { instructionText, neutralContents } from "./calls.ts";
import { functionResultIn, isModels, listIn, partsOf, pathsOf, spelled } from "./parts.ts";
import { allowedNames, isCached, jsonSchema, offeredTools } from "./tools.ts";

const finish: FinishFormat = {
  offers,
  mayNarrow: ({ body }) => !isCached(body),
  silence: (located) =>
    isCached(located.body) || offeredTools(located.body).length === 0 ? [] : [choiceSplice(located, '{"mode":"NONE"}')],
  schemas: [...pathsOf("generationConfig", "responseSchema"), ...pathsOf("generationConfig", "responseJsonSchema")],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  const may = allowedNames(body);
  return elementsAt(text, body.tools, members.get("tools"))
    .flatMap((tool) => membersAt(text, tool))
    .flatMap((declared): readonly PlacedTool[] => {
      const name = nonEmpty(objectIn(declared.value).name);
      if (name === undefined || may?.has(name) === false) return [];
      return [
        {
          name,
          schema: schemaOf(text, declared),
          alone: (splices) => [
            memberSplice(located, "tools", `[{"functionDeclarations":[${spliced(text, splices, declared.span)}]}]`),
            choiceSplice(located, JSON.stringify({ mode: "ANY", allowedFunctionNames: [name] })),
          ],
        },
      ];
    });
}

/** The declarations of one tool. */
function membersAt(text: string, { value, span }: LocatedValue<unknown>): readonly LocatedValue<unknown>[] {
  const tool = objectIn(value);
  const key = spelled(tool, "functionDeclarations");
  return elementsAt(text, tool[key], membersOf(text, span).get(key));
}

/** A list's elements; what stands in the place of a list is the one element. */
function elementsAt(text: string, value: unknown, span: Span | undefined): readonly LocatedValue<unknown>[] {
  if (span !== undefined && isObject(value)) return [{ value, span }];
  return placedElements(text, listIn(value), span);
}

function schemaOf(text: string, declared: LocatedValue<unknown>): PlacedTool["schema"] {
  const plain = placedWithin(text, declared, [spelled(objectIn(declared.value), "parametersJsonSchema")]);
  if (plain !== undefined) return plain;
  const place = placedWithin(text, declared, ["parameters"]);
  return place && { ...place, value: jsonSchema(place.value) };
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

export const edits: EditRecord<undefined> = {
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
  note({ text, body, members }, notes) {
    const { messages, at } = neutralContents(body);
    const { places, isPrompt } = historyOf(messages);
    return noteSplices(notes, {
      messages: elementsAt(text, body.contents, members.get("contents")),
      turns: places.map((place) => at[place] ?? -1),
      isPrompt,
      isHeard: (content) => isObject(content) && !isModels(content),
      bringsResult: (content, call) => partsOf(content).some((part) => functionResultIn(part)?.id === call),
      extended: (content, texts) => extended(text, content, texts),
      // What follows a turn is what was heard, or else it is the end, behind which the model is to go on.
      inserted: () => [],
    });
  },
  finish,
};

/** At the end of what the last function gave back; behind words as words of their own. */
function extended(text: string, content: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const parts = elementsAt(text, content.value.parts, membersOf(text, content.span).get("parts"));
  const last = parts.at(-1);
  if (last !== undefined && isObject(last.value)) {
    const response = placedWithin(text, last, [spelled(last.value, "functionResponse"), "response"]);
    if (isObject(response?.value))
      return [withinResponse(text, { value: response.value, span: response.span }, texts.join("\n\n"))];
  }
  // Two notes may go to one content, and neither knows of a list that the other makes.
  return isObject(content.value.parts) ? [] : withParts(text, content, texts);
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
