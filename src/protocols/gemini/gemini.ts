import { answersOf } from "../answers.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf, targetFor } from "../requests.ts";
import { isRequest, requests } from "./request.ts";
import { answers } from "./write.ts";

/**
 * `POST …/models/{model}:generateContent` and `:streamGenerateContent`, Google's: at the Gemini API (`/v1beta/models/…`) and on
 * Vertex AI (`/v1/projects/…/publishers/google/models/…`). `countTokens` and others behind the colon pass.
 */
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
