import { answersOf } from "../answers.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf } from "../requests.ts";
import { isChatRequest, requests } from "./request.ts";
import { answers } from "./write.ts";

export { isFailure } from "./answer.ts";
export { argumentText, callsOf, isChatRequest, messageOf, requests } from "./request.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  refusalStatus: 400,
  recognises: isChatRequest,
  ...requestsOf([/(^|\/)chat\/completions$/], requests),
  ...answersOf(answers),
  question: ({ model, system, text, answer }, target) => ({
    target,
    body: JSON.stringify({
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: text },
      ],
      ...(answer && { response_format: { type: "json_schema", json_schema: { ...answer, strict: true } } }),
    }),
  }),
};
