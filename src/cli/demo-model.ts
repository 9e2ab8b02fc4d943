import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Scripted model that repeats one call and ignores nudges; it finishes only when tools are forbidden. */
export interface DemoModel {
  /** Without `/v1`. */
  readonly url: string;
  /** Requests that it has answered. */
  readonly calls: number;
  /** All tokens of all answers so far, in and out, as this model counts them. */
  readonly tokens: number;
  close(): Promise<void>;
}

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly tool_choice?: unknown;
}

/** Starts the model on a free loopback port. It speaks just as much of the API as the demo's agent needs. */
export async function demoModel(): Promise<DemoModel> {
  let calls = 0;
  let tokens = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const completion = answerTo(JSON.parse(Buffer.concat(pieces).toString()));
    calls += 1;
    tokens += completion.usage.total_tokens;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  };
  const server = createServer((request, response) => {
    // A request that breaks off or cannot be read gets a broken connection: only the demo's agent should ask here.
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
    get tokens() {
      return tokens;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answerTo(request: ChatRequest) {
  const message = request.tool_choice === "none" ? lastWords() : sameAgain();
  const prompt_tokens = tokensOf(request.messages);
  const completion_tokens = tokensOf(message);
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" in message ? "tool_calls" : "stop" }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function sameAgain() {
  const args = { to: "ana@example.com", text: "Your refund is on its way. It takes three to five days." };
  const call = { name: "send_message", arguments: JSON.stringify(args) };
  return {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [{ id: `call_${randomUUID()}`, type: "function", function: call }],
  };
}

function lastWords() {
  return { role: "assistant", content: "I have told Ana that her refund is on its way.", refusal: null };
}

// Four characters a token is the usual rule of thumb, and so the bill grows with the history as a real one does.
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
