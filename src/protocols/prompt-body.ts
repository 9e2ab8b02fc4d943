import { chatPromptBody, type PromptRequest } from "./chat-completions/prompt-request.ts";
import type { ProtocolName } from "./protocol.ts";

/** The most that is said to a question of the guard's own, where a format asks for a limit. In tokens. */
const MAX_TOKENS = 1_024;

/** Formats in which a question can be asked; only the first takes a schema for the answer. */
const bodies: Partial<Readonly<Record<ProtocolName, (request: PromptRequest) => string>>> = {
  "chat-completions": chatPromptBody,
  responses: ({ model, system, text }) => JSON.stringify({ model, instructions: system, input: text, store: false }),
  messages: ({ model, system, text }) =>
    JSON.stringify({ model, max_tokens: MAX_TOKENS, system, messages: [{ role: "user", content: text }] }),
};

/** The body of a question of the guard's own; undefined in a format that has no plain one. */
export function promptBody(request: PromptRequest, format: ProtocolName = "chat-completions"): string | undefined {
  return bodies[format]?.(request);
}
