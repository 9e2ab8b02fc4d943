import type { RecordedRequest, Upstream } from "../support/servers/upstream.ts";
import { type Ask, type Given, post } from "./guard-rig.ts";

/** An agent on plain fetch: asks, runs the tools, asks again. */
export interface Agent {
  /** The history so far. */
  readonly messages: readonly Message[];
  /** The request that the next turn sends. */
  body(): string;
  turn(): Promise<Turn>;
  turns(count: number): Promise<readonly Turn[]>;
  /** A person says something. */
  hear(text: string): void;
  /** All but the last messages are replaced by a summary, as agents do when a history gets long. */
  summarise(kept: number): void;
}

export interface Turn extends Given {
  readonly sent: string;
  /** What the model was asked; none if the guard answered. */
  readonly received: readonly RecordedRequest[];
  readonly message: Message;
}

export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

interface ToolCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AgentOptions {
  /** Where each turn's request goes, by the turn's number from 0 if that makes a difference. */
  readonly url: string | ((turn: number) => string);
  readonly upstream: Pick<Upstream, "requests">;
  /** How a request is made; by a socket if not given. */
  readonly ask?: Ask;
  readonly headers?: Readonly<Record<string, string>>;
  /** More members of the request, such as `stream` or `response_format`. */
  readonly extra?: object;
  readonly tools?: readonly object[];
  readonly task?: string;
  /** What the tools say; `resultOf` if not given. */
  readonly result?: (call: ToolCall) => unknown;
}

export const searchTool = tool("search", { q: { type: "string" } });
export const doneTool = tool("done", { success: { type: "boolean" }, text: { type: "string" } });

/** The same for the same arguments. */
export function resultOf(call: ToolCall): string {
  return `Results for ${call.function.arguments}: rain in the morning, sun after noon.`;
}

export function agent(options: AgentOptions): Agent {
  const { url, upstream, ask = post, headers, extra, tools = [searchTool], result = resultOf } = options;
  const messages: Message[] = [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content: options.task ?? "What is the weather in Paris?" },
  ];
  let turnsTaken = 0;
  // The messages come last, so that two requests have their common beginning in common as text.
  const body = () => JSON.stringify({ model: "gpt-4o", ...extra, tools, messages });
  const turn = async (): Promise<Turn> => {
    const sent = body();
    const before = upstream.requests.length;
    const given = await ask(typeof url === "string" ? url : url(turnsTaken), sent, headers);
    turnsTaken += 1;
    const message = given.status === 200 ? messageIn(given.text) : { role: "none" };
    if (given.status === 200) messages.push(message);
    for (const call of message.tool_calls ?? []) {
      messages.push({ role: "tool", tool_call_id: call.id, content: result(call) });
    }
    return { ...given, sent, received: upstream.requests.slice(before), message };
  };
  return {
    messages,
    body,
    turn,
    async turns(count) {
      const taken: Turn[] = [];
      for (let i = 0; i < count; i += 1) taken.push(await turn());
      return taken;
    },
    hear: (text) => messages.push({ role: "user", content: text }),
    summarise(kept) {
      messages.splice(0, messages.length - kept, { role: "user", content: "This is what was done so far. Go on." });
    },
  };
}

export function verdictsOf(turns: readonly Turn[]): readonly (string | null)[] {
  return turns.map((turn) => turn.headers.get("x-unloop-verdict"));
}

function tool(name: string, properties: object): object {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { type: "function", function: { name, parameters } };
}

/** The assistant's message of a JSON answer or an event stream. */
export function messageIn(text: string): Message {
  return text.startsWith("{") ? JSON.parse(text).choices[0].message : streamedMessage(text);
}

function streamedMessage(text: string): Message {
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  let content: string | null = null;
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice("data: ".length)).choices[0]?.delta ?? {};
    if (typeof delta.content === "string") content = (content ?? "") + delta.content;
    for (const piece of delta.tool_calls ?? []) {
      calls[piece.index] ??= { id: piece.id, type: "function", function: { name: piece.function.name, arguments: "" } };
      const call = calls[piece.index];
      if (call !== undefined) call.function.arguments += piece.function.arguments;
    }
  }
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}
