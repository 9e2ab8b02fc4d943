import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

/** LangGraph's ReAct agent on LangChain's OpenAI chat model. */
export const langgraphClients: readonly Client[] = [
  client("langgraph invoke", async (task, counted) => {
    const { messages } = await agentOf(task, counted).invoke(input(), options(task));
    return messages.at(-1)?.text ?? "";
  }),
  client("langgraph stream", async (task, counted) => {
    const stream = await agentOf(task, counted).stream(input(), { ...options(task), streamMode: "messages" as const });
    let text = "";
    for await (const [message] of stream) {
      // The text of the last model turn is the answer: a tool message begins a new turn.
      text = message.type === "tool" ? "" : text + message.text;
    }
    return text;
  }),
];

function agentOf({ baseURL }: Task, counted: CountedTool) {
  const llm = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
  const using = tool((args) => counted.run(args), {
    name: counted.name,
    description: counted.description,
    schema: z.object({ q: z.string() }),
  });
  return createReactAgent({ llm, tools: [using], prompt: system });
}

function input() {
  return { messages: [{ role: "user" as const, content: question }] };
}

// A step of the graph is a model call or a tool run: two to one of ours.
function options({ maxSteps }: Task) {
  return { recursionLimit: 2 * maxSteps };
}
