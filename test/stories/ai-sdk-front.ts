import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3CallOptions, LanguageModelV3Content, LanguageModelV3Prompt } from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import { unloop } from "../../src/ai-sdk/ai-sdk.ts";
import type { ChatBody } from "../support/wires/chat-wire.ts";
import { type FrameworkTurn, throughFramework } from "./framework-front.ts";

/** Through `unloop/ai-sdk`, with the SDK's own provider behind it. */
export const throughAiSdk = (way: "generate" | "stream") =>
  throughFramework(({ baseURL, policy, mode, onVerdict }) => {
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL, apiKey: "sk-test" }).chat("scripted"),
      middleware: unloop({ policy, mode, onVerdict }),
    });
    return async (body, session) => {
      const params = { ...paramsOf(body), ...(session && { providerOptions: { unloop: { session } } }) };
      if (way === "generate") return turnOf((await model.doGenerate(params)).content);
      const content: LanguageModelV3Content[] = [];
      for await (const part of (await model.doStream(params)).stream) {
        if (part.type === "text-delta") content.push({ type: "text", text: part.delta });
        if (part.type === "tool-call") content.push(part);
        if (part.type === "error") throw part.error;
      }
      return turnOf(content);
    };
  });

function turnOf(content: readonly LanguageModelV3Content[]): FrameworkTurn {
  return {
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, args: part.input }] : [],
    ),
  };
}

function paramsOf({ messages, tools }: ChatBody): LanguageModelV3CallOptions {
  return {
    prompt: promptOf(messages),
    tools: tools.map(({ function: { name } }) => ({
      type: "function",
      name,
      inputSchema: { type: "object", properties: {}, additionalProperties: true },
    })),
  };
}

function promptOf(messages: ChatBody["messages"]): LanguageModelV3Prompt {
  return messages.map((raw): LanguageModelV3Prompt[number] => {
    const { role, content, tool_calls, tool_call_id } = raw;
    const text = typeof content === "string" ? content : "";
    if (role === "system") return { role, content: text };
    if (role === "user") return { role, content: [{ type: "text", text }] };
    if (role === "tool") {
      const output = { type: "text", value: text } as const;
      return { role, content: [{ type: "tool-result", toolCallId: tool_call_id ?? "", toolName: "tool", output }] };
    }
    return {
      role: "assistant",
      content: [
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ...tool_calls.map((call) => ({
          type: "tool-call" as const,
          toolCallId: call.id ?? "",
          toolName: call.function.name,
          input: JSON.parse(call.function.arguments),
        })),
      ],
    };
  });
}
