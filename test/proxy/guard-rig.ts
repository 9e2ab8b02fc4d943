import { onTestFinished } from "vitest";
import {
  memoryStores,
  type Policy,
  presetNamed,
  type SessionStore,
  type Stores,
  unloop,
  type UnloopOptions,
} from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { listen } from "../../src/transport/node-server.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { type WireAgentOptions, type WireTurn, wireAgent } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Wire } from "../support/wires/wire.ts";

export type GuardRig = Awaited<ReturnType<typeof guardRig>>;

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly [fact: string]: unknown;
}

export async function guardRig(script: Script, options: Partial<UnloopOptions> = {}, wire?: Wire) {
  const upstream = await scriptedUpstream(script, wire);
  const guard = await guardBefore(upstream.url, options);
  onTestFinished(() => upstream.close());
  return { ...guard, upstream };
}

export async function guardBefore(upstream: string, options: Partial<UnloopOptions> = {}) {
  const logged: LogLine[] = [];
  const transport = nodeTransport();
  const app = unloop({ upstream, transport, log: logInto(logged), policy: requestsOnly(), ...options });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await drain(0);
    await transport.close();
  });
  return { url, drain, logged };
}

export function logInto(lines: LogLine[]) {
  const at = (level: LogLine["level"]) => (facts: object, event: string) => {
    lines.push({ ...facts, level, event });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  more: Readonly<Record<string, string>> = {},
): Promise<Given> {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-test", ...more };
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What the guard said of an answer, without its time and what it read. */
export function verdictOf(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-unloop-") && name !== "x-unloop-steps"));
}

export const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

/** The default policy as far as it acts on requests. What is done about answers shows in tests of its own. */
export function requestsOnly(): Policy {
  return { ...standard(), intercept: "off" };
}

export function standard(): Policy {
  const policy = presetNamed("default");
  if (policy === undefined) throw new Error("There is no default policy.");
  return policy;
}

export function storesWith(parts: Partial<SessionStore>): Stores {
  const stores = memoryStores();
  return { ...stores, sessions: { ...stores.sessions, ...parts } };
}

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
