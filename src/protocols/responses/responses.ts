import { addUsage } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import { readAnswer } from "./answer.ts";
import { threads } from "./continue.ts";
import { delta } from "./delta.ts";
import { streams } from "./streams.ts";
import { replies } from "./reply.ts";
import { requests } from "./request.ts";
import { edits } from "./rewrite.ts";

/** `POST /v1/responses`. */
export const responses = defineProtocol({
  name: "responses",
  path: "/v1/responses",
  // What is behind it (`input_items`, `compact`, `cancel`, `input_tokens`) passes.
  endpoints: [/(^|\/)responses$/],
  // Codex sends again what is refused with 402 to 451.
  refusalStatus: 400,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text }) => ({ model, instructions: system, input: text, store: false }),
});
