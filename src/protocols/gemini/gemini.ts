import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import { readAnswer } from "./answer.ts";
import { delta } from "./delta.ts";
import { jsonArray } from "./json-array.ts";
import { replies } from "./reply.ts";
import { requests } from "./request.ts";
import { edits } from "./rewrite.ts";
import { streams } from "./streams.ts";
import { addUsage } from "./usage.ts";

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
