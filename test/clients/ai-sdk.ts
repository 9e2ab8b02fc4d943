import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

/** Vercel's AI SDK on its OpenAI provider. */
export const aiSdkClients: readonly Client[] = [
  client("ai generateText", async (task, counted) => {
    const { text } = await generateText(settings(task, counted));
    return text;
  }),
  client("ai streamText", async (task, counted) => {
    let failure: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failure = error;
    };
    const result = streamText({ ...settings(task, counted), onError });
    const text = await result.text;
    if (failure) throw failure;
    return text;
  }),
];

function settings({ baseURL, maxSteps }: Task, counted: CountedTool) {
  return {
    model: createOpenAI({ apiKey, baseURL }).chat(model),
    system,
    prompt: question,
    stopWhen: stepCountIs(maxSteps),
    tools: {
      [counted.name]: tool({
        description: counted.description,
        inputSchema: z.object({ q: z.string() }),
        execute: async (args) => counted.run(args),
      }),
    },
  };
}
