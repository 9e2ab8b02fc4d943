import type { Command } from "commander";
import { styleText } from "node:util";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { request } from "undici";
import { readSettings } from "../config/config.ts";
import { serve, type Serving } from "../node.ts";

export function addDemoCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command("demo")
    .description("Watch an agent loop, without the guard and with it. No data leaves this machine.")
    .action(async () => {
      const [alone, guarded] = [await play(false), await play(true)];
      process.stdout.write(`${screen(alone, guarded).join("\n")}\n`);
      done(0);
    });
}

interface Step {
  readonly did: string;
  readonly verdict: string;
}

interface Played {
  readonly steps: readonly Step[];
  readonly messagesSent: number;
  readonly calls: number;
  readonly tokens: number;
}

async function play(isGuarded: boolean): Promise<Played> {
  const model = await demoModel();
  let guard: Serving | undefined;
  try {
    const settings = readSettings({ UNLOOP_UPSTREAM: model.url, UNLOOP_PORT: "0", UNLOOP_LOG: "silent" });
    if (isGuarded) guard = await serve(settings);
    return { ...(await runAgent(guard?.url ?? model.url)), ...model.counted };
  } finally {
    await guard?.drain(0);
    model.server.close().closeAllConnections();
  }
}

/** At most 24 lines of 80 columns. */
function screen(alone: Played, guarded: Played): string[] {
  const rows = Math.max(alone.steps.length, guarded.steps.length);
  return [
    "One agent and task, twice, with a model that repeats one message for ever.",
    "",
    ` step  ${`without a guard (cap: ${maxSteps} steps)`.padEnd(34)}${"with unloop".padEnd(25)}verdict`,
    ...Array.from({ length: rows }, (_, index) => row(index, alone.steps[index], guarded.steps[index])),
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

function row(index: number, alone: Step | undefined, guarded: Step | undefined): string {
  const left = `${String(index + 1).padStart(5)}  ${(alone?.did ?? "").padEnd(34)}`;
  if (!guarded) return left.trimEnd();
  const { did, verdict } = guarded;
  // For a terminal that shows colours, and nobody who asks for none by NO_COLOR.
  const isColoured = verdict !== "ok" && process.stdout.isTTY && process.stdout.hasColors();
  return `${left}${did.padEnd(25)}${isColoured ? styleText("yellow", verdict) : verdict}`;
}

function sum(title: string, alone: number, guarded: number): string {
  const saved = alone - guarded;
  const numbers = [alone, guarded, saved].map((value) => value.toLocaleString("en").padStart(12)).join("");
  return `${` ${title}`.padEnd(15)}${numbers}  (${Math.round((100 * saved) / alone)} %)`;
}

const maxSteps = 15;

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly type: "function"; readonly function: object }[];
  readonly tool_call_id?: string;
}

const sendMessage = {
  name: "send_message",
  description: "Send a message to a customer",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, text: { type: "string" } },
    required: ["to", "text"],
  },
};

/** An agent loop over the bare API: ask the model, run its tools, and again, until it answers in words. */
async function runAgent(url: string): Promise<Pick<Played, "steps" | "messagesSent">> {
  const messages: Message[] = [
    { role: "system", content: "You are the support agent of a web shop. Use the tools, then sum up what you did." },
    { role: "user", content: "Tell Ana (ana@example.com) that her refund is on its way." },
  ];
  const steps: Step[] = [];
  let messagesSent = 0;
  while (steps.length < maxSteps) {
    const { statusCode, headers, body } = await request(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer demo" },
      body: JSON.stringify({ model: "demo", messages, tools: [{ type: "function", function: sendMessage }] }),
    });
    if (statusCode !== 200) throw new Error(`The demo's model answered with ${statusCode}: ${await body.text()}`);
    const { choices } = (await body.json()) as { readonly choices: readonly [{ readonly message: Message }] };
    const [{ message }] = choices;
    const { tool_calls: calls = [] } = message;
    messages.push(message);
    for (const { id } of calls) {
      messagesSent += 1;
      const content = JSON.stringify({ ok: true, message_id: `msg-${messagesSent}` });
      messages.push({ role: "tool", tool_call_id: id, content });
    }
    const did = calls.length === 0 ? "final answer" : `send_message -> msg-${messagesSent}`;
    steps.push({ did, verdict: String(headers["x-unloop-verdict"] ?? "") });
    if (calls.length === 0) break;
  }
  return { steps, messagesSent };
}

/** Starts a scripted model on a free loopback port: it repeats one call, ignores nudges, and finishes only when tools are forbidden. */
async function demoModel() {
  const counted = { calls: 0, tokens: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = JSON.parse(await text(request));
    const message = asked.tool_choice === "none" ? lastWords : sameAgain();
    const [prompt_tokens, completion_tokens] = [tokensOf(asked.messages), tokensOf(message)];
    counted.calls += 1;
    counted.tokens += prompt_tokens + completion_tokens;
    const completion = {
      ...{ id: `chatcmpl-${randomUUID()}`, object: "chat.completion", created: Math.floor(Date.now() / 1000) },
      model: asked.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" in message ? "tool_calls" : "stop" }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  };
  // A request that breaks off gets a broken connection.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, counted };
}

const lastWords: Message = { role: "assistant", content: "I have told Ana that her refund is on its way." };

function sameAgain(): Message {
  const args = { to: "ana@example.com", text: "Your refund is on its way. It takes three to five days." };
  const call = { name: sendMessage.name, arguments: JSON.stringify(args) };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `call_${randomUUID()}`, type: "function", function: call }],
  };
}

// Four characters a token is the usual rule of thumb, and so the bill grows with the history as a real one does.
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
