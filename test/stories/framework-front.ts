import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import type { ModelVerdict } from "../../src/in-process/in-process.ts";
import { type ChatBody, chatBodyOf } from "../support/wires/chat-wire.ts";
import { bodyOf, closing, listening } from "../support/servers/http.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import type { StoryWay, WayOptions } from "./way.ts";

/** A turn of a framework's model, as an agent of the stories gets it. */
export interface FrameworkTurn {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
}

/** One call of the model through a framework. */
export type FrameworkCall = (body: ChatBody, session: string | undefined) => Promise<FrameworkTurn>;

interface FrameworkTerms extends WayOptions {
  /** Of the scripted model, with `/v1`. */
  readonly baseURL: string;
  readonly onVerdict: (verdict: ModelVerdict) => void;
}

/** Hands each request of a story to a framework, and its turn back: what is between them is the middleware alone. */
export const throughFramework =
  (framework: (terms: FrameworkTerms) => FrameworkCall): StoryWay =>
  async (script, wire, options) => {
    const upstream = await scriptedUpstream(script, wire);
    let verdict = "none";
    const onVerdict = (told: ModelVerdict) => {
      verdict = told.verdict;
    };
    const call = framework({ ...options, baseURL: `${upstream.url}/v1`, onVerdict });
    const server = createServer(async (incoming, response) => {
      const body = chatBodyOf(JSON.parse(String(await bodyOf(incoming))));
      const session = incoming.headers["x-unloop-session"];
      const [status, answer] = await call(body, session === undefined ? undefined : String(session)).then(
        (turn) => [200, completionOf(turn)] as const,
        (error: unknown) => [400, { error: { message: String(error), type: "invalid_request_error" } }] as const,
      );
      const headers = { "content-type": "application/json", "x-unloop-verdict": verdict };
      response.writeHead(status, headers).end(JSON.stringify(answer));
    });
    const url = await listening(server);
    onTestFinished(async () => {
      await closing(server);
      await upstream.close();
    });
    return { url, upstream };
  };

function completionOf({ text, calls }: FrameworkTurn): object {
  const tool_calls = calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } }));
  const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) };
  return {
    id: "turn",
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
