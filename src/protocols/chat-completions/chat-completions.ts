import type { Protocol } from "../protocol.ts";
import { readAnswer } from "./answer.ts";
import { chunkDecoder } from "./decoder.ts";
import { delta } from "./delta.ts";
import { finish, resume } from "./encoder.ts";
import { errorReply, finalReply } from "./reply.ts";
import { isChatRequest, readRequest } from "./request.ts";
import { rewriteRequest } from "./rewrite.ts";
import { addUsage } from "../answer/sum-usage.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  refersToAnswers: false,
  refusalStatus: 400,
  matches: ({ method, path }) => method === "POST" && /(^|\/)chat\/completions$/.test(path),
  recognises: isChatRequest,
  parse: readRequest,
  delta,
  rewrite: rewriteRequest,
  readAnswer,
  decoder: () => chunkDecoder(),
  resume,
  finish,
  addUsage,
  reply: finalReply,
  error: errorReply,
};
