import type { FinalMessage } from "../final-message.ts";
import { type JsonObject, objectIn, parseJson } from "../json/json.ts";
import type { Stamp } from "../protocol.ts";
import type { ReplyFormat } from "../wire-format.ts";
import { chunkOf } from "./decoder.ts";

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
