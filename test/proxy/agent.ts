import type { RecordedRequest, Upstream } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { type Ask, type Given, post } from "./guard-rig.ts";

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
  /** More members of the request. */
  readonly extra?: object;
  readonly tools?: readonly object[];
  readonly task?: string;
  readonly result?: (call: ToolCall) => unknown;
}

export const searchTool = tool("search", { q: { type: "string" } });

/** The same for the same arguments. */
const resultOf = (call: ToolCall) => `Results for ${call.function.arguments}: rain in the morning, sun after noon.`;

/** An agent on plain fetch that speaks the chat format: asks, runs the tools, asks again. */
export function agent(options: AgentOptions) {
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
    const message = given.status === 200 ? messageIn(given) : { role: "none" };
    if (given.status === 200) messages.push(message);
    for (const call of message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: call.id, content: result(call) });
    return { ...given, sent, received: upstream.requests.slice(before), message };
  };
  return {
    /** The request that the next turn sends. */
    body,
    turn,
    async turns(count: number): Promise<readonly Turn[]> {
      const taken: Turn[] = [];
      for (let i = 0; i < count; i += 1) taken.push(await turn());
      return taken;
    },
    /** A person says something. */
    hear: (content: string) => messages.push({ role: "user", content }),
  };
}

export const verdictsOf = (turns: readonly Given[]) => turns.map(({ headers }) => headers.get("x-unloop-verdict"));

/** The turns reached the model, and its answers the agent, byte for byte. */
export const isUntouched = (turns: readonly Turn[]) =>
  turns.every(({ sent, text, received: [one] }) => String(one?.bytes) === sent && String(one?.answer) === text);

function tool(name: string, properties: object): object {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { type: "function", function: { name, parameters } };
}

/** The assistant's message of a JSON answer or an event stream. */
function messageIn({ text, headers }: Given): Message {
  const [message] = chatCompletionsWire.heard(text, headers.get("content-type") ?? "").entries;
  return message as Message;
}
