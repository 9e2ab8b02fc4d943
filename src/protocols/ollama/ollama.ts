import { chatFormat } from "../chat-completions/chat-completions.ts";
import { defineProtocol } from "../define-protocol.ts";
import { ndjson } from "../ndjson.ts";
import { addCounts, readAnswer } from "./answer.ts";
import { finish } from "./finish.ts";
import { replies } from "./reply.ts";
import { chatMessages, requests } from "./request.ts";
import { streams } from "./streams.ts";

const { edits, delta, question } = chatFormat;

/** `POST /api/chat`, Ollama's: its messages are those of chat completions, its answers are its own. */
export const ollama = defineProtocol({
  name: "ollama",
  path: "/api/chat",
  endpoints: [/(^|\/)api\/chat$/],
  refusalStatus: 400,
  framing: () => ndjson,
  requests,
  edits: { ...edits, finish },
  delta: { ...delta, steps: (messages) => delta.steps(chatMessages(messages)) },
  threads: undefined,
  answers: { read: readAnswer, addUsage: addCounts },
  streams,
  replies,
  question: (asked, said) => ({ ...question({ ...asked, answer: undefined }, said), stream: false }),
});
