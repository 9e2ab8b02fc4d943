import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { expect, it } from "vitest";
import { z } from "zod";
import { guardRig, requestsOnly } from "../proxy/guard-rig.ts";
import { finalText } from "../support/agents/scripts.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";

/** Every value of it states a decision. */
const verdict = z.object({ decision: z.enum(["approve", "reject"]), amount: z.int() });
const said: readonly Said[] = [
  { who: "user", text: "Check the invoice, then decide." },
  ...["c1", "c2", "c3", "c4", "c5", "c6"].flatMap((id): readonly Said[] => [
    { who: "assistant", calls: [{ id, tool: "read", args: "{}" }] },
    { who: "tool", id, text: "The invoice has three lines." },
  ]),
];

interface Taken {
  readonly parsed: unknown;
  readonly declined: string | null | undefined;
}

type Ask = (url: string) => Promise<Taken>;

const openai = (url: string) => new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = (url: string) => new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 0 });

const chat = {
  ...(chatCompletionsWire.body({ said }) as OpenAI.ChatCompletionCreateParamsNonStreaming),
  response_format: zodResponseFormat(verdict, "verdict"),
};
const response = {
  ...(responsesWire.body({ said }) as OpenAI.Responses.ResponseCreateParamsNonStreaming),
  text: { format: zodTextFormat(verdict, "verdict") },
};
const message = {
  ...(messagesWire.body({ said }) as Anthropic.MessageCreateParamsNonStreaming),
  output_config: { format: zodOutputFormat(verdict) },
};

type ChatMessage = { readonly parsed?: unknown; readonly refusal?: string | null } | undefined;
const ofChat = (told: ChatMessage): Taken => ({ parsed: told?.parsed, declined: told?.refusal });
interface GivenResponse {
  readonly output: readonly object[];
  readonly output_parsed: unknown;
}
const ofResponse = ({ output, output_parsed }: GivenResponse): Taken => {
  const parts = output.flatMap((item) => ("content" in item && Array.isArray(item.content) ? item.content : []));
  return { parsed: output_parsed, declined: parts.find(({ type }) => type === "refusal")?.refusal };
};
const ofMessage = (told: Anthropic.Message & { readonly parsed_output?: unknown }): Taken => ({
  parsed: told.parsed_output,
  declined: told.stop_reason === "refusal" ? told.stop_details?.explanation : undefined,
});

const clients: readonly (readonly [name: string, wire: Wire, ask: Ask])[] = [
  [
    "openai chat.completions.parse",
    chatCompletionsWire,
    async (url) => ofChat((await openai(url).chat.completions.parse(chat)).choices[0]?.message),
  ],
  [
    "openai chat.completions.stream",
    chatCompletionsWire,
    async (url) =>
      ofChat(
        (
          await openai(url)
            .chat.completions.stream({ ...chat, stream: true })
            .finalChatCompletion()
        ).choices[0]?.message,
      ),
  ],
  ["openai responses.parse", responsesWire, async (url) => ofResponse(await openai(url).responses.parse(response))],
  [
    "openai responses.stream",
    responsesWire,
    async (url) =>
      ofResponse(
        await openai(url)
          .responses.stream({ ...response, stream: true })
          .finalResponse(),
      ),
  ],
  ["anthropic messages.parse", messagesWire, async (url) => ofMessage(await anthropic(url).messages.parse(message))],
  [
    "anthropic messages.stream",
    messagesWire,
    async (url) => ofMessage(await anthropic(url).messages.stream(message).finalMessage()),
  ],
];

it.each(clients)(
  "an end that would have to state a decision which was never made is declined in the wire's own way, which %s takes without throwing",
  async (_, wire, ask) => {
    const rig = await guardRig(() => ({ kind: "text", text: finalText }), { policy: requestsOnly() }, wire);
    const { parsed, declined } = await ask(rig.url);
    expect(rig.upstream.requests).toEqual([]);
    expect(parsed ?? null).toBeNull();
    expect(declined).toMatch(/^This run was stopped because it was going in circles\./);
  },
);
