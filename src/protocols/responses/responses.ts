import { addUsage } from "../answer/sum-usage.ts";
import type { Protocol } from "../protocol.ts";
import { readAnswer } from "./answer.ts";
import { decoder } from "./decoder.ts";
import { delta } from "./delta.ts";
import { finish, resume } from "./encoder.ts";
import { errorReply, finalReply } from "./reply.ts";
import { parseRequest, recognises } from "./request.ts";
import { rewriteRequest } from "./rewrite.ts";

/** `POST /v1/responses`. */
export const responses: Protocol = {
  name: "responses",
  refersToAnswers: true,
  // Codex sends again what is refused with 402 to 451.
  refusalStatus: 400,
  // What is behind it (`input_items`, `compact`, `cancel`, `input_tokens`) passes.
  matches: ({ method, path }) => method === "POST" && /(^|\/)responses$/.test(path),
  recognises,
  parse: parseRequest,
  delta,
  rewrite: rewriteRequest,
  readAnswer,
  decoder: () => decoder(),
  resume,
  finish,
  addUsage,
  reply: finalReply,
  error: errorReply,
};
