import { addUsage } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import { readAnswer } from "./answer.ts";
import { delta } from "./delta.ts";
import { streams } from "./streams.ts";
import { replies } from "./reply.ts";
import { requests } from "./request.ts";
import { edits } from "./rewrite.ts";
import { threads } from "./substitute-items.ts";

/** The most that is said to a question of the guard's own: this format asks for a limit. */
const MAX_QUESTION_TOKENS = 1_024;

/** `POST /v1/messages`, Anthropic's, and the same on Vertex. */
export const messages = defineProtocol({
  name: "messages",
  path: "/v1/messages",
  // `count_tokens` and `batches` behind it pass; OpenAI's threads have messages of their own.
  // Vertex says in the path which model is asked and how it answers; a model that only counts tokens is none.
  endpoints: [
    /(^|\/)v1\/messages$/,
    /\/publishers\/anthropic\/models\/(?!count-tokens:)(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/i,
  ],
  // Claude Code sends again what is refused with 400 or 422, changed a little each time.
  refusalStatus: 402,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text }, { model: said, streams: isStream }) => ({
    ...(said === undefined ? { model } : { anthropic_version: "vertex-2023-10-16", stream: isStream }),
    max_tokens: MAX_QUESTION_TOKENS,
    system,
    messages: [{ role: "user", content: text }],
  }),
});
