import { addUsage } from "../answer/sum-usage.ts";
import type { Protocol } from "../protocol.ts";
import { readAnswer } from "./answer.ts";
import { decoder } from "./decoder.ts";
import { delta } from "./delta.ts";
import { finish, resume } from "./encoder.ts";
import { errorReply, finalReply } from "./reply.ts";
import { parseRequest, recognises } from "./request.ts";
import { rewriteRequest } from "./rewrite.ts";

/** `POST /v1/messages`, Anthropic's. */
export const messages: Protocol = {
  name: "messages",
  refersToAnswers: true,
  // Claude Code sends again what is refused with 400 or 422, changed a little each time.
  refusalStatus: 402,
  // `count_tokens` and `batches` behind it pass; OpenAI's threads have messages of their own.
  matches: ({ method, path }) => method === "POST" && /(^|\/)v1\/messages$/.test(path),
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
