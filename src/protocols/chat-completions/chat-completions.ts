import type { Protocol } from "../protocol.ts";
import { errorReply, finalReply } from "./reply.ts";
import { readRequest } from "./request.ts";
import { foldAnswer } from "./response.ts";
import { rewriteRequest } from "./rewrite.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  refersToAnswers: false,
  read: readRequest,
  rewrite: rewriteRequest,
  fold: foldAnswer,
  reply: finalReply,
  error: errorReply,
};
