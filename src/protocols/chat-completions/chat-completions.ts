import type { Protocol } from "../protocol.ts";
import { continuing, pieces } from "./pieces.ts";
import { errorReply, finalReply } from "./reply.ts";
import { readRequest } from "./request.ts";
import { foldAnswer } from "./response.ts";
import { rewriteRequest } from "./rewrite.ts";
import { withUsageOf } from "./spent.ts";
import { tail } from "./tail.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  refersToAnswers: false,
  read: readRequest,
  tail,
  rewrite: rewriteRequest,
  fold: foldAnswer,
  pieces,
  continuing,
  withUsageOf,
  reply: finalReply,
  error: errorReply,
};
