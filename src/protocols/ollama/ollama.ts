import { answersOf } from "../answers.ts";
import { chatCompletions } from "../chat-completions/chat-completions.ts";
import type { Protocol } from "../protocol.ts";
import { requestsOf } from "../requests.ts";
import { recognises, requests } from "./request.ts";
import { answers } from "./write.ts";

/** `POST /api/chat`, Ollama's: its messages are those of chat completions, its answers are its own. */
export const ollama: Protocol = {
  name: "ollama",
  path: "/api/chat",
  refusalStatus: 400,
  recognises,
  ...requestsOf([/(^|\/)api\/chat$/], requests),
  ...answersOf(answers),
  question(question, target) {
    const { body } = chatCompletions.question({ ...question, answer: undefined }, target);
    return { target, body: `${body.slice(0, -1)},"stream":false}` };
  },
};
