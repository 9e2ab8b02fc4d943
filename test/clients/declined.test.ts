import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardRig, requestsOnly } from "../proxy/guard-rig.ts";
import { finalText } from "../support/agents/scripts.ts";
import type { Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";

/** Every value of it states a decision. */
const verdict = z.object({ decision: z.enum(["approve", "reject"]), amount: z.int() });
const task = "Check the invoice, then decide.";
const turns = [1, 2, 3, 4, 5, 6];
const found = "The invoice has three lines.";

/** What a client makes of an answer that has to be of a form. */
interface Taken {
  readonly parsed: unknown;
  /** What it is told instead. */
  readonly declined: string | null | undefined;
}

type Ask = (url: string) => Promise<Taken>;

const openai = (url: string) => new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = (url: string) => new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });

const chat = {
  model: "gpt-4o",
  response_format: zodResponseFormat(verdict, "verdict"),
  messages: [
    { role: "user" as const, content: task },
    ...turns.flatMap((turn) => [
      {
        role: "assistant" as const,
        tool_calls: [{ id: `call_${turn}`, type: "function" as const, function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool" as const, tool_call_id: `call_${turn}`, content: found },
    ]),
  ],
};

const response = {
  model: "gpt-5",
  text: { format: zodTextFormat(verdict, "verdict") },
  input: [
    { role: "user" as const, content: task },
    ...turns.flatMap((turn) => [
      { type: "function_call" as const, call_id: `call_${turn}`, name: "read", arguments: "{}" },
      { type: "function_call_output" as const, call_id: `call_${turn}`, output: found },
    ]),
  ],
};

const message = {
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  output_config: { format: zodOutputFormat(verdict) },
  messages: [
    { role: "user" as const, content: task },
    ...turns.flatMap((turn) => [
      {
        role: "assistant" as const,
        content: [{ type: "tool_use" as const, id: `t_${turn}`, name: "read", input: {} }],
      },
      { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: `t_${turn}`, content: found }] },
    ]),
  ],
};

type ChatMessage = { readonly parsed?: unknown; readonly refusal?: string | null } | undefined;
const ofChat = (told: ChatMessage): Taken => ({ parsed: told?.parsed, declined: told?.refusal });
const ofResponse = ({
  output,
  output_parsed,
}: {
  readonly output: readonly object[];
  readonly output_parsed: unknown;
}) => {
  const parts = output.flatMap((item) => ("content" in item && Array.isArray(item.content) ? item.content : []));
  return { parsed: output_parsed, declined: parts.find(({ type }) => type === "refusal")?.refusal };
};
const ofMessage = (told: Anthropic.Message & { readonly parsed_output?: unknown }): Taken => ({
  parsed: told.parsed_output,
  declined: told.stop_reason === "refusal" ? told.stop_details?.explanation : undefined,
});

const clients: readonly { readonly name: string; readonly wire: Wire; readonly ask: Ask }[] = [
  {
    name: "openai chat.completions.parse",
    wire: chatCompletionsWire,
    ask: async (url) => ofChat((await openai(url).chat.completions.parse(chat)).choices[0]?.message),
  },
  {
    name: "openai chat.completions.stream",
    wire: chatCompletionsWire,
    ask: async (url) =>
      ofChat((await openai(url).chat.completions.stream(chat).finalChatCompletion()).choices[0]?.message),
  },
  {
    name: "openai responses.parse",
    wire: responsesWire,
    ask: async (url) => ofResponse(await openai(url).responses.parse(response)),
  },
  {
    name: "openai responses.stream",
    wire: responsesWire,
    ask: async (url) => ofResponse(await openai(url).responses.stream(response).finalResponse()),
  },
  {
    name: "anthropic messages.parse",
    wire: messagesWire,
    ask: async (url) => ofMessage(await anthropic(url).messages.parse(message)),
  },
  {
    name: "anthropic messages.stream",
    wire: messagesWire,
    ask: async (url) => ofMessage(await anthropic(url).messages.stream(message).finalMessage()),
  },
];

describe("an end that would have to state a decision which was never made", () => {
  it.each(clients)("is declined in the wire's own way, which $name takes without throwing", async ({ wire, ask }) => {
    const rig = await guardRig(() => ({ kind: "text", text: finalText }), { policy: requestsOnly() }, wire);
    const { parsed, declined } = await ask(rig.url);
    expect(rig.upstream.requests).toEqual([]);
    expect(parsed ?? null).toBeNull();
    expect(declined).toMatch(/^This run was stopped because it was going in circles\./);
  });
});
