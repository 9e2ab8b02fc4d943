import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { apiKey, type Client, client, model, question, type SearchTool, system, type Task } from "./client.ts";

/** Vercel's AI SDK on its OpenAI provider. */
export const aiSdkClients: readonly Client[] = [
  client("ai generateText", async (task, search) => {
    const { text } = await generateText(settings(task, search));
    return text;
  }),
  client("ai streamText", async (task, search) => {
    let failure: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failure = error;
    };
    const result = streamText({ ...settings(task, search), onError });
    const text = await result.text;
    if (failure) throw failure;
    return text;
  }),
];

function settings({ baseURL, maxSteps }: Task, search: SearchTool) {
  return {
    model: createOpenAI({ apiKey, baseURL }).chat(model),
    system,
    prompt: question,
    stopWhen: stepCountIs(maxSteps),
    tools: {
      search: tool({
        description: search.description,
        inputSchema: z.object({ q: z.string() }),
        execute: async (args) => search.run(args),
      }),
    },
  };
}
