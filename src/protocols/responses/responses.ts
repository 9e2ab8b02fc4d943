import { answersOf } from "../answers.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf } from "../requests.ts";
import { isRequest, requests } from "./request.ts";
import { answers } from "./write.ts";

/** `POST /v1/responses`. What is behind it (`input_items`, `compact`, `cancel`, `input_tokens`) passes. */
export const responses: Protocol = {
  name: "responses",
  path: "/v1/responses",
  // Codex sends again what is refused with 402 to 451.
  refusalStatus: 400,
  recognises: isRequest,
  ...requestsOf([/(^|\/)responses$/], requests),
  ...answersOf(answers),
  question: ({ model, system, text }, target) => ({
    target,
    body: JSON.stringify({ model, instructions: system, input: text, store: false }),
  }),
};
