import type { Command } from "commander";
import { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { readSettings } from "../config/config.ts";
import { serve } from "../node.ts";

export interface DemoOptions {
  readonly out: NodeJS.WritableStream;
  /** Starts the guard in front of an upstream. */
  readonly serve: (upstream: string) => Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** `unloop demo`. */
export function addDemoCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command("demo")
    .description("Watch an agent loop, without the guard and with it. No data leaves this machine.")
    .action(async () => done(await demo({ out: process.stdout, serve: guardFor })));
}

async function guardFor(upstream: string): Promise<{ url: string; close(): Promise<void> }> {
  const quick = { UNLOOP_PORT: "0", UNLOOP_LOG: "silent" };
  const settings = readSettings({ UNLOOP_UPSTREAM: upstream, ...quick });
  const { url, drain } = await serve(settings);
  return { url, close: () => drain(0) };
}

/** Lets an agent run against a looping model without the guard and with it, and prints both on one screen. Gives the exit code. */
export async function demo({ out, serve }: DemoOptions): Promise<number> {
  const alone = await play(async (upstream) => ({ url: upstream, close: async () => {} }));
  const guarded = await play(serve);
  // hasColors() also respects NO_COLOR.
  const coloured = out instanceof WriteStream && out.hasColors();
  out.write(`${screen(alone, guarded, coloured).join("\n")}\n`);
  return 0;
}

/** One run of the agent, and what the model counted of it. */
interface Played {
  readonly steps: readonly AgentStep[];
  readonly messagesSent: number;
  readonly calls: number;
  readonly tokens: number;
}

interface AgentStep {
  /** In a few words. */
  readonly did: string;
  /** The guard's; none without a guard. */
  readonly verdict: string;
}

async function play(serve: DemoOptions["serve"]): Promise<Played> {
  const model = await demoModel();
  try {
    const guard = await serve(model.url);
    try {
      const run = await runAgent(guard.url);
      return { ...run, calls: model.calls, tokens: model.tokens };
    } finally {
      await guard.close();
    }
  } finally {
    await model.close();
  }
}

/** At most 24 lines of 80 columns. */
function screen(alone: Played, guarded: Played, coloured: boolean): string[] {
  const rows = Math.max(alone.steps.length, guarded.steps.length);
  return [
    "One agent and task, twice, with a model that repeats one message for ever.",
    "",
    ` step  ${`without a guard (cap: ${maxSteps} steps)`.padEnd(34)}${"with unloop".padEnd(25)}verdict`,
    ...Array.from({ length: rows }, (_, index) => row(index, alone.steps[index], guarded.steps[index], coloured)),
    "",
    `${" ".repeat(15)}${["without", "with", "saved"].map((title) => title.padStart(12)).join("")}`,
    sum("model calls", alone.calls, guarded.calls),
    sum("messages sent", alone.messagesSent, guarded.messagesSent),
    sum("tokens", alone.tokens, guarded.tokens),
    ...askedAgain(guarded),
  ];
}

/** Else a reader who counts the rows finds more model calls than steps. */
function askedAgain({ calls, steps }: Played): readonly string[] {
  const again = calls - steps.length;
  return again > 0 ? [` ${again} of the ${calls} asked again, to replace a repeated call that was held back.`] : [];
}

function row(index: number, alone: AgentStep | undefined, guarded: AgentStep | undefined, coloured: boolean): string {
  const left = `${String(index + 1).padStart(5)}  ${(alone?.did ?? "").padEnd(34)}`;
  if (!guarded) return left.trimEnd();
  const { did, verdict } = guarded;
  return `${left}${did.padEnd(25)}${coloured && verdict !== "ok" ? styleText("yellow", verdict) : verdict}`;
}

function sum(title: string, alone: number, guarded: number): string {
  const saved = alone - guarded;
  const numbers = [alone, guarded, saved].map((value) => value.toLocaleString("en").padStart(12)).join("");
  return `${` ${title}`.padEnd(15)}${numbers}  (${Math.round((100 * saved) / alone)} %)`;
}

/** The agent's own cap, as agents have one. */
const maxSteps = 15;

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** An agent loop over the bare API: ask the model, run its tools, and again, until it answers in words. */
async function runAgent(url: string): Promise<Pick<Played, "steps" | "messagesSent">> {
  const messages: Message[] = [
    { role: "system", content: "You are the support agent of a web shop. Use the tools, then sum up what you did." },
    { role: "user", content: "Tell Ana (ana@example.com) that her refund is on its way." },
  ];
  const steps: AgentStep[] = [];
  let messagesSent = 0;
  while (steps.length < maxSteps) {
    const { message, verdict } = await ask(url, messages);
    messages.push(message);
    const calls = message.tool_calls ?? [];
    for (const { id } of calls) {
      messagesSent += 1;
      const content = JSON.stringify({ ok: true, message_id: `msg-${messagesSent}` });
      messages.push({ role: "tool", tool_call_id: id, content });
    }
    steps.push({ did: calls.length === 0 ? "final answer" : `send_message -> msg-${messagesSent}`, verdict });
    if (calls.length === 0) break;
  }
  return { steps, messagesSent };
}

async function ask(url: string, messages: readonly Message[]): Promise<{ message: Message; verdict: string }> {
  const { statusCode, headers, body } = await request(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer demo" },
    body: JSON.stringify({ model: "demo", messages, tools: [sendMessage] }),
  });
  if (statusCode !== 200) throw new Error(`The demo's model answered with ${statusCode}: ${await body.text()}`);
  const { choices } = (await body.json()) as { readonly choices: readonly { readonly message: Message }[] };
  if (choices[0] === undefined) throw new Error("The demo's model gave no answer.");
  return { message: choices[0].message, verdict: String(headers["x-unloop-verdict"] ?? "") };
}

const sendMessage = {
  type: "function",
  function: {
    name: "send_message",
    description: "Send a message to a customer",
    parameters: {
      type: "object",
      properties: { to: { type: "string" }, text: { type: "string" } },
      required: ["to", "text"],
    },
  },
};

/** Scripted model that repeats one call and ignores nudges; it finishes only when tools are forbidden. */
interface DemoModel {
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
async function demoModel(): Promise<DemoModel> {
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
