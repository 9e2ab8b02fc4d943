import { requestWork } from "../../work.ts";
import { isRequest, requests } from "./request.ts";
import { type AnswersFormat, alternativesOf, answersOf } from "../answers.ts";
import { jsonArray, sse } from "../framing.ts";
import { type Json, type JsonObject, nonEmpty, objectIn, jsonValue } from "../json/json.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf, targetFor } from "../requests.ts";
import { type GeminiStream, listIn, named, reading } from "./answer.ts";

/** The API's own mark for a call that no model has made: where it wants calls signed it refuses one without. */
const UNSIGNED = { thoughtSignature: "skip_thought_signature_validator" };
const SIGNED = /"thought(?:Signature|_signature)"/;

const writer: AnswersFormat<GeminiStream>["writer"] = ({ model = "unloop", wire }, { id }, like) => {
  const { body, text: asked } = wire;
  const count = named(named(body).generationConfig).candidateCount;
  const parts: JsonObject[] = [];
  let end: JsonObject = { finishReason: "STOP" };
  const whole = () => ({
    candidates: alternativesOf(count, { content: { parts, role: "model" }, ...end }),
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: model,
    ...like,
    responseId: `unloop-${id}`,
  });
  return {
    begin: () => [],
    text(text, isRefusal) {
      parts.push({ text });
      // What declines to answer says that it is no answer of the form that was asked for.
      if (isRefusal) end = { finishReason: "OTHER", finishMessage: text };
      return [];
    },
    call({ tool: { name }, args }) {
      const functionCall = { id: `unloop_${id}`, name, args: objectIn(jsonValue(args, requestWork())) };
      parts.push({ functionCall, ...(SIGNED.test(asked) && UNSIGNED) });
      return [];
    },
    end: () => [whole()],
    whole,
  };
};

const resume: AnswersFormat<GeminiStream>["resume"] = ({ first, words, counted }) => {
  /** Parts stay as they are but for what was said before, since they may be signed. */
  function goOn(candidate: Json): Json {
    const { content, finishReason } = objectIn(candidate);
    const told = listIn(objectIn(content).parts).flatMap(said);
    const rest = finishReason === undefined ? "" : words.end();
    if (told.length === 0 && rest === "") return candidate;
    const parts = rest === "" ? told : [...told, { text: rest }];
    return { ...objectIn(candidate), content: { ...objectIn(content), parts } };
  }

  function said(part: Json): readonly Json[] {
    const { text: value, thought, functionCall } = objectIn(part);
    const text = thought === true ? undefined : nonEmpty(value);
    if (text === undefined) {
      const rest = functionCall === undefined ? "" : words.end();
      return rest === "" ? [part] : [{ text: rest }, part];
    }
    const now = words.add(text);
    if (!now.endsWith(text)) return [{ ...objectIn(part), text: now }];
    return now === text ? [part] : [{ text: now.slice(0, now.length - text.length) }, part];
  }

  return (chunk) => {
    const { candidates } = chunk;
    const told = counted(chunk);
    if (first === undefined) return told === chunk ? undefined : [told];
    return [{ ...told, ...(Array.isArray(candidates) && { candidates: candidates.map(goOn) }), ...first.head }];
  };
};

const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const AS_ARRAY = /:streamGenerateContent(?:$|\?(?!(?:.*&)?(?:\$|%24)?alt=sse(?:&|$)))/;

const answers: AnswersFormat<GeminiStream> = {
  framing: (target) => (AS_ARRAY.test(target) ? jsonArray : sse),
  notBegun: { head: undefined },
  reading,
  resume,
  finish({ head }, { usage, finished }) {
    if (head === undefined || finished) return [];
    // SDKs take a chunk without parts for a spoiled turn, and leave it out of the history.
    const content = { role: "model", parts: [{ text: "" }] };
    const candidates = [{ content, finishReason: "STOP", index: 0 }];
    return [{ candidates, ...usage, ...head }];
  },
  usage: ["usageMetadata"],
  tokens: {
    // What the API's own tools told the model, and what that thought, are counted beside the rest.
    input: ["promptTokenCount", "toolUsePromptTokenCount"],
    output: ["candidatesTokenCount", "thoughtsTokenCount"],
    cached: ["cachedContentTokenCount"],
  },
  writer,
  error({ code, status, message }) {
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code.toUpperCase(), domain: "unloop" };
    const name = STATUSES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
    return { body: { error: { code: status, message, status: name, details: [info] } } };
  },
};

export const gemini: Protocol = {
  name: "gemini",
  path: "/v1beta/models/gemini-2.5-flash:generateContent",
  refusalStatus: 400,
  recognises: isRequest,
  ...requestsOf(
    [/(?:^|\/)(?:models|tunedModels|endpoints)\/(?<model>[^/:]+):(?:generate|(?<stream>streamGenerate))Content$/],
    requests,
  ),
  ...answersOf(answers),
  question: ({ model, system, text }, target) => ({
    target: targetFor(target, model),
    body: JSON.stringify({
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: "user", parts: [{ text }] }],
    }),
  }),
};
