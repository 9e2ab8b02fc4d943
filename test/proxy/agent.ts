import { type WireAgentOptions, type WireTurn, wireAgent } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Given } from "./guard-rig.ts";

export type Turn = WireTurn;

export interface AgentOptions extends Pick<WireAgentOptions, "url" | "upstream" | "extra" | "result"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly task?: string;
}

export function agent({ headers = {}, task, ...options }: AgentOptions) {
  const said = task === undefined ? {} : { said: [{ who: "user", text: task }] as const };
  return wireAgent(chatCompletionsWire, { ...options, ...said, fields: headers });
}

export const verdictsOf = (turns: readonly Pick<Given, "headers">[]) =>
  turns.map(({ headers }) => headers.get("x-unloop-verdict"));

/** The turns reached the model, and its answers the agent, byte for byte. */
export const isUntouched = (turns: readonly Turn[]) =>
  turns.every(({ sent, text, received: [one] }) => String(one?.bytes) === sent && String(one?.answer) === text);
