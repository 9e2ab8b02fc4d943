import { answersOf } from "../answers.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf, saidInTarget, targetFor } from "../requests.ts";
import { recognises, requests } from "./request.ts";
import { answers } from "./write.ts";

/** The most that is said to a question of the guard's own: this format asks for a limit. */
const MAX_QUESTION_TOKENS = 1_024;

// `count_tokens` and `batches` behind it pass; OpenAI's threads have messages of their own.
// Vertex says in the path which model is asked and how it answers; a model that only counts tokens is none.
const endpoints = [
  /(^|\/)v1\/messages$/,
  /\/publishers\/anthropic\/models\/(?!count-tokens:)(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/i,
];

/** `POST /v1/messages`, Anthropic's, and the same on Vertex. */
export const messages: Protocol = {
  name: "messages",
  path: "/v1/messages",
  // Claude Code sends again what is refused with 400 or 422, changed a little each time.
  refusalStatus: 402,
  recognises,
  ...requestsOf(endpoints, requests),
  ...answersOf(answers),
  question({ model, system, text }, target) {
    const said = saidInTarget(endpoints, target);
    const isVertex = said.model !== undefined;
    const body = {
      ...(isVertex ? { anthropic_version: "vertex-2023-10-16", stream: said.streams } : { model }),
      max_tokens: MAX_QUESTION_TOKENS,
      system,
      messages: [{ role: "user", content: text }],
    };
    return { target: isVertex ? targetFor(target, model) : target, body: JSON.stringify(body) };
  },
};
