import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { tool } from "@langchain/core/tools";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOllama } from "@langchain/ollama";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import type { Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

export const langgraphClients: readonly Client[] = [
  ...clientsOn(
    "OpenAI",
    chatCompletionsWire,
    ({ baseURL }) => new ChatOpenAI({ model, apiKey, configuration: { baseURL } }),
  ),
  ...clientsOn("Anthropic", messagesWire, ({ baseURL }) => {
    return new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey, anthropicApiUrl: hostOf(baseURL) });
  }),
  ...clientsOn(
    "Google",
    geminiWire,
    ({ baseURL }) => new ChatGoogleGenerativeAI({ model: "gemini-2.5-flash", apiKey, baseUrl: hostOf(baseURL) }),
    geminiStreamWire,
  ),
  ...clientsOn("Ollama", ollamaWire, ({ baseURL }) => new ChatOllama({ model: "qwen3", baseUrl: hostOf(baseURL) })),
];

function hostOf(baseURL: string): string {
  return baseURL.replace(/\/v1$/, "");
}

type ChatModelFor = (task: Task) => BaseChatModel;

function clientsOn(maker: string, wire: Wire, modelFor: ChatModelFor, streamWire = wire): readonly Client[] {
  const invoke = async (task: Task, counted: CountedTool) => {
    const { messages } = await agentOf(task, counted, modelFor).invoke(input(), options(task));
    return messages.at(-1)?.text ?? "";
  };
  const stream = async (task: Task, counted: CountedTool) => {
    const settings = { ...options(task), streamMode: "messages" as const };
    let text = "";
    for await (const [message] of await agentOf(task, counted, modelFor).stream(input(), settings)) {
      // The text of the last model turn is the answer: a tool message begins a new turn.
      text = message.type === "tool" ? "" : text + message.text;
    }
    return text;
  };
  return [
    client(`langgraph invoke on ${maker}`, invoke, wire),
    client(`langgraph stream on ${maker}`, stream, streamWire),
  ];
}

function agentOf(task: Task, counted: CountedTool, modelFor: ChatModelFor) {
  const using = tool((args) => counted.run(args), {
    name: counted.name,
    description: counted.description,
    schema: z.object({ q: z.string() }),
  });
  return createReactAgent({ llm: modelFor(task), tools: [using], prompt: system });
}

function input() {
  return { messages: [{ role: "user" as const, content: question }] };
}

// A step of the graph is a model call or a tool run: two to one of ours.
function options({ maxSteps }: Task) {
  return { recursionLimit: 2 * maxSteps };
}
