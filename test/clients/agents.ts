import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

export const agentsClients: readonly Client[] = [false, true].flatMap((useResponses) => {
  const wire = useResponses ? responsesWire : chatCompletionsWire;
  const on = useResponses ? "" : " on chat";
  return [false, true].map((stream) =>
    client(
      `agents run${on}${stream ? ", streamed" : ""}`,
      async (task, counted) => {
        const terms = { maxTurns: task.maxSteps };
        const [runner, agent] = [runnerOf(task, useResponses), agentOf(counted)];
        if (!stream) return (await runner.run(agent, question, terms)).finalOutput ?? "";
        const result = await runner.run(agent, question, { ...terms, stream });
        for await (const _ of result) {
          // The stream must be read to its end for the run to go on.
        }
        await result.completed;
        return result.finalOutput ?? "";
      },
      wire,
    ),
  );
});

function runnerOf({ baseURL }: Task, useResponses: boolean): Runner {
  const modelProvider = new OpenAIProvider({ apiKey, baseURL, useResponses });
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
