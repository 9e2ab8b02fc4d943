import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { createOllama } from "ollama-ai-provider-v2";
import { z } from "zod";
import type { Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

export const aiSdkClients: readonly Client[] = [
  ...clientsOn("OpenAI", chatCompletionsWire, ({ baseURL }) => createOpenAI({ apiKey, baseURL }).chat(model)),
  ...clientsOn("OpenAI Responses", responsesWire, ({ baseURL }) => createOpenAI({ apiKey, baseURL })(model)),
  ...clientsOn("Anthropic", messagesWire, ({ baseURL }) => createAnthropic({ apiKey, baseURL })("claude-sonnet-4-5")),
  ...clientsOn(
    "Google",
    geminiWire,
    ({ baseURL }) => createGoogleGenerativeAI({ apiKey, baseURL: `${baseURL}beta` })("gemini-2.5-flash"),
    geminiStreamWire,
  ),
  ...clientsOn("Ollama", ollamaWire, ({ baseURL }) =>
    createOllama({ baseURL: baseURL.replace(/\/v1$/, "/api") })("qwen3"),
  ),
];

type ModelFor = (task: Task) => LanguageModel;

function clientsOn(provider: string, wire: Wire, modelFor: ModelFor, streamWire = wire): readonly Client[] {
  const generate = async (task: Task, counted: CountedTool) => {
    const { text } = await generateText(settings(task, counted, modelFor));
    return text;
  };
  const stream = async (task: Task, counted: CountedTool) => {
    let failure: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failure = error;
    };
    const result = streamText({ ...settings(task, counted, modelFor), onError });
    const text = await result.text;
    if (failure) throw failure;
    return text;
  };
  return [
    client(`ai generateText on ${provider}`, generate, wire),
    client(`ai streamText on ${provider}`, stream, streamWire),
  ];
}

function settings(task: Task, counted: CountedTool, modelFor: ModelFor) {
  return {
    model: modelFor(task),
    system,
    prompt: question,
    stopWhen: stepCountIs(task.maxSteps),
    tools: {
      [counted.name]: tool({
        description: counted.description,
        inputSchema: z.object({ q: z.string() }),
        execute: async (args) => counted.run(args),
      }),
    },
  };
}
