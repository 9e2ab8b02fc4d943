import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

/** OpenAI's Agents SDK in chat-completions mode. */
export const agentsClients: readonly Client[] = [
  client("agents run", async (task, counted) => {
    const result = await runnerOf(task).run(agentOf(counted), question, { maxTurns: task.maxSteps });
    return result.finalOutput ?? "";
  }),
  client("agents run, streamed", async (task, counted) => {
    const result = await runnerOf(task).run(agentOf(counted), question, { maxTurns: task.maxSteps, stream: true });
    for await (const _ of result) {
      // The stream must be read to its end for the run to go on.
    }
    await result.completed;
    return result.finalOutput ?? "";
  }),
];

function runnerOf({ baseURL }: Task): Runner {
  const modelProvider = new OpenAIProvider({ apiKey, baseURL, useResponses: false });
  return new Runner({ modelProvider, tracingDisabled: true });
}

function agentOf(counted: CountedTool) {
  const using = tool({
    name: counted.name,
    description: counted.description,
    parameters: z.object({ q: z.string() }),
    execute: async (args) => counted.run(args),
  });
  return new Agent({ name: "assistant", instructions: system, model, tools: [using] });
}
