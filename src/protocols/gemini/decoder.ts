import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, jsonText, nonEmpty, objectIn, parseJson } from "../json/json.ts";
import type { Stamp, StreamPart } from "../protocol.ts";
import type { ReplyFormat, StreamReading } from "../wire-format.ts";
import { answerParts, candidateIn, finishReasonIn, isFailure, usageOf } from "./answer.ts";
import { callReader } from "./calls.ts";
import type { FinalMessage } from "../final-message.ts";

/** How far a streamed answer has come. */
export interface GeminiStream {
  /** What each of its chunks repeats; undefined before the first. */
  readonly head: JsonObject | undefined;
  /** As the wire tells it: the latest count of all so far. */
  readonly usage: JsonObject | undefined;
  readonly finished: boolean;
}

export const notBegun: GeminiStream = { head: undefined, usage: undefined, finished: false };

/** Each chunk is an answer of its own, with the parts that have come since the last one. */
export function reading(from: GeminiStream): StreamReading<GeminiStream> {
  const callParts = callReader();
  let { head, usage } = from;
  let finished = false;
  let begun = false;

  function begin({ responseId, modelVersion }: JsonObject): readonly StreamPart[] {
    if (begun) return [];
    begun = true;
    head ??= { responseId, modelVersion };
    return [{ kind: "start", id: nonEmpty(responseId), model: nonEmpty(modelVersion) }];
  }

  function say({ text, thought }: JsonObject): readonly StreamPart[] {
    if (typeof text !== "string" || text === "") return [];
    return [{ kind: thought === true ? "reasoning" : "text", text }];
  }

  function count({ usageMetadata }: JsonObject): readonly StreamPart[] {
    if (isObject(usageMetadata)) usage = usageMetadata;
    const counted = usageOf(usageMetadata);
    return counted === undefined ? [] : [{ kind: "usage", usage: counted }];
  }

  return {
    take(chunk) {
      if (isFailure(chunk)) return ERROR;
      const reason = finishReasonIn(chunk);
      const isAnswer = candidateIn(chunk) !== undefined || reason !== undefined;
      finished ||= reason !== undefined;
      return [
        ...(isAnswer ? begin(chunk) : []),
        ...answerParts(chunk).flatMap((part) => [...say(part), ...callParts(part)]),
        ...count(chunk),
        ...(reason === undefined ? [] : [{ kind: "finish" as const, reason }]),
      ];
    },
    progress: () => ({ head, usage, finished }),
  };
}

const ERROR: readonly StreamPart[] = [{ kind: "error" }];

/** A chunk as this API writes it. */
export function chunkOf(chunk: JsonObject): StreamEvent {
  return { event: undefined, data: jsonText(chunk) ?? "{}" };
}

export const replies: ReplyFormat<unknown> = {
  write(message, { model }, { text }, stamp) {
    const whole = {
      candidates: [{ content: { parts: partsOf(message, text, stamp), role: "model" }, ...endOf(message), index: 0 }],
      // Nothing was asked of a model, so nothing is counted.
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
      modelVersion: model ?? "unloop",
      responseId: `unloop-${stamp.id}`,
    };
    return { whole, events: [chunkOf(whole)] };
  },
  error({ code, status, message }) {
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code.toUpperCase(), domain: "unloop" };
    const body = { error: { code: status, message, status: rpcStatus(status), details: [info] } };
    return { body, event: chunkOf(body) };
  },
};

/** What declines to answer says that it is no answer of the form that was asked for. */
function endOf({ text, isRefusal }: FinalMessage): JsonObject {
  return isRefusal === true ? { finishReason: "OTHER", finishMessage: text } : { finishReason: "STOP" };
}

/** The API's own mark for a call that no model has made: where it wants calls signed it refuses one without. */
const UNSIGNED = { thoughtSignature: "skip_thought_signature_validator" };
const SIGNED = /"thought(?:Signature|_signature)"/;

function partsOf({ text, call }: FinalMessage, request: string, stamp: Stamp): readonly JsonObject[] {
  const words = text === null ? [] : [{ text }];
  if (call === undefined) return words;
  const functionCall = { id: `unloop_${stamp.id}`, name: call.tool.name, args: objectIn(parseJson(call.args)) };
  return [...words, { functionCall, ...(SIGNED.test(request) && UNSIGNED) }];
}

/** Names of `google.rpc.Code`, by status. */
const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function rpcStatus(status: number): string {
  return STATUSES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
}
