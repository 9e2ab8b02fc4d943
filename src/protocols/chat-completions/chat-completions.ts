import { addUsage } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import type { WireFormat } from "../wire-format.ts";
import { readAnswer } from "./answer.ts";
import type { ChunkStream } from "./decoder.ts";
import { delta } from "./delta.ts";
import { edits } from "./rewrite.ts";
import { replies } from "./reply.ts";
import { requests } from "./request.ts";
import { streams } from "./streams.ts";

export const chatFormat: WireFormat<undefined, ChunkStream> = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  endpoints: [/(^|\/)chat\/completions$/],
  refusalStatus: 400,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads: undefined,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text, answer }) => ({
    model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: text },
    ],
    ...(answer && { response_format: { type: "json_schema", json_schema: { ...answer, strict: true } } }),
  }),
};

export { stepOf } from "./messages.ts";
export { callsOf } from "./wire.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions = defineProtocol(chatFormat);
