import { defineProtocol } from "../define-protocol.ts";
import { sse, type StreamEvent } from "../framing.ts";
import { addUsage, readAnswer } from "./answer.ts";
import { jsonArray } from "./json-array.ts";
import { chunkOf, type GeminiStream, notBegun, reading, replies } from "./decoder.ts";
import { edits } from "./rewrite.ts";
import { historyOf } from "../dialects/dialects.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { DeltaRecord, RequestRecord, StreamContinuation, StreamFormat } from "../wire-format.ts";
import { callsIn, neutralContents } from "./calls.ts";
import { functionResultIn, isModels, listIn, memberOf, partsOf } from "./parts.ts";
import type { AnswerFormat } from "../protocol.ts";
import { forcedChoice, isCached, jsonSchema, offeredTools } from "./tools.ts";
import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";

const streams: StreamFormat<GeminiStream> = { endMark: undefined, notBegun, reading, resume, finish };

/** Makes each chunk of a second stream one of the first: one id, all usage in one place. */
function resume(
  first: GeminiStream | undefined,
  used: GeminiStream | undefined,
  words: ContinuedText,
): StreamContinuation<GeminiStream> {
  const before = used?.usage;

  function counted({ usageMetadata }: JsonObject): JsonObject | undefined {
    return isObject(usageMetadata) && before !== undefined ? { usageMetadata: sum(before, usageMetadata) } : undefined;
  }

  /** Parts stay as they are but for what was said before, since they may be signed. */
  function goOn(candidate: unknown): unknown {
    const { content, finishReason } = objectIn(candidate);
    const told = listIn(objectIn(content).parts).flatMap(said);
    const rest = finishReason === undefined ? "" : words.end();
    if (told.length === 0 && rest === "") return candidate;
    const parts = rest === "" ? told : [...told, { text: rest }];
    return { ...objectIn(candidate), content: { ...objectIn(content), parts } };
  }

  function said(part: unknown): readonly unknown[] {
    if (!speaks(part)) {
      const rest = objectIn(part).functionCall === undefined ? "" : words.end();
      return rest === "" ? [part] : [{ text: rest }, part];
    }
    const text = stringIn(objectIn(part).text) ?? "";
    const now = words.add(text);
    if (!now.endsWith(text)) return [{ ...objectIn(part), text: now }];
    return now === text ? [part] : [{ text: now.slice(0, now.length - text.length) }, part];
  }

  return {
    from: { ...(first ?? notBegun), usage: before },
    encode(chunk) {
      const usage = counted(chunk);
      if (first === undefined) return usage && [chunkOf({ ...chunk, ...usage })];
      const own = Array.isArray(chunk.candidates) && { candidates: chunk.candidates.map(goOn) };
      return [chunkOf({ ...chunk, ...own, ...usage, ...first.head })];
    },
  };
}

function speaks(part: unknown): boolean {
  const { text, thought } = objectIn(part);
  return thought !== true && nonEmpty(text) !== undefined;
}

/** Says why it ends. None where it has not begun: then it is no answer. */
function finish({ head, usage, finished }: GeminiStream): readonly StreamEvent[] {
  if (head === undefined || finished) return [];
  // SDKs take a chunk without parts for a spoiled turn, and leave it out of the history.
  const content = { role: "model", parts: [{ text: "" }] };
  const candidates = [{ content, finishReason: "STOP", index: 0 }];
  return [chunkOf({ candidates, ...(usage && { usageMetadata: usage }), ...head })];
}

const requests: RequestRecord<undefined> = {
  recognises: (body) => isObject(body) && isRequest(body),
  isRequest,
  // The URL says it.
  streams: () => false,
  sampling: ["model", "cachedContent", ...["temperature", "topP", "seed"].map((name) => `generationConfig.${name}`)],
  read(body) {
    const { messages } = neutralContents(body);
    const tools = offeredTools(body);
    const candidates = memberOf(generationIn(body), "candidateCount");
    return {
      messages,
      history: historyOf(messages),
      tools,
      hasTools: tools.length > 0 || isCached(body),
      toolChoice: forcedChoice(body),
      format: formatOf(generationIn(body)),
      alternatives: typeof candidates === "number" && candidates > 1,
      previousAnswerId: undefined,
      keptUnder: undefined,
      own: undefined,
    };
  },
};

function isRequest(body: JsonObject): boolean {
  return listIn(body.contents).some((content) => partsOf(content).length > 0);
}

function generationIn(body: JsonObject): JsonObject {
  return objectIn(memberOf(body, "generationConfig"));
}

function formatOf(generation: JsonObject): AnswerFormat {
  const schema = memberOf(generation, "responseJsonSchema") ?? jsonSchema(memberOf(generation, "responseSchema"));
  const mime = stringIn(memberOf(generation, "responseMimeType"))?.toLowerCase();
  if (isObject(schema) && mime !== "text/x.enum") return { kind: "schema", schema };
  return mime === "application/json" ? { kind: "json" } : { kind: "text" };
}

/** How a body goes on behind the contents that an earlier one of its run has carried already. */
const delta: DeltaRecord = {
  comparable: (body) => body,
  list: "contents",
  // It names calls, too, and whatever else has an id: these are hints.
  resultKey: "id",
  // What the model says goes on with what it has said.
  members: (body) => (isModels(listIn(body.contents).at(-1)) ? undefined : Object.keys(body)),
  steps: (contents) =>
    standsAlone(contents) ? historyOf(neutralContents({ contents }).messages).conversation.steps : undefined,
};

/** It begins with an answer and tells only of its own calls: read alone it is what it is in its place. */
function standsAlone(contents: readonly unknown[]): boolean {
  if (!isModels(contents[0])) return false;
  const called = new Set<string>();
  for (const content of contents) {
    if (!isObject(content)) return false;
    const parts = partsOf(content);
    for (const { id, tool } of isModels(content) ? callsIn(parts) : []) called.add(id ?? "").add(`of ${tool}`);
    const results = parts.flatMap((part) => functionResultIn(part) ?? []);
    if (results.some(({ id, tool }) => !called.has(id ?? `of ${tool}`))) return false;
  }
  return true;
}

/** Asked for by the query; a stream is a JSON array else. */
const AS_ARRAY = /:streamGenerateContent(?:$|\?(?!(?:.*&)?alt=sse(?:&|$)))/;

/**
 * `POST …/models/{model}:generateContent` and `:streamGenerateContent`, Google's: at the Gemini API (`/v1beta/models/…`) and on
 * Vertex AI (`/v1/projects/…/publishers/google/models/…`). `countTokens` and others behind the colon pass.
 */
export const gemini = defineProtocol({
  name: "gemini",
  path: "/v1beta/models/gemini-2.5-flash:generateContent",
  endpoints: [
    /(?:^|\/)(?:models|tunedModels|endpoints)\/(?<model>[^/:]+):(?:generate|(?<stream>streamGenerate))Content$/,
  ],
  refusalStatus: 400,
  framing: (target) => (AS_ARRAY.test(target) ? jsonArray() : sse),
  requests,
  edits,
  delta,
  threads: undefined,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ system, text }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: [{ role: "user", parts: [{ text }] }],
  }),
});
