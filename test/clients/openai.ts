import { setMaxListeners } from "node:events";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

/** The official SDK with its own loop, `runTools`; and the major before. */
export const openaiClients: readonly Client[] = [
  ...clientsOf("openai", ({ baseURL }) => new OpenAI({ apiKey, baseURL })),
  ...clientsOf("openai-6", ({ baseURL }) => new OpenAI6({ apiKey, baseURL }) as unknown as OpenAI),
];

function clientsOf(name: string, connect: (task: Task) => OpenAI): readonly Client[] {
  const messages = [
    { role: "system" as const, content: system },
    { role: "user" as const, content: question },
  ];
  const asking = (tool: CountedTool) => ({ model, messages, tools: [runnable(tool)] });
  return [
    client(`${name} runTools`, (task, tool) =>
      finalContent(connect(task).chat.completions.runTools(asking(tool), termsOf(task)), task),
    ),
    client(`${name} runTools, streamed`, (task, tool) =>
      finalContent(connect(task).chat.completions.runTools({ ...asking(tool), stream: true }, termsOf(task)), task),
    ),
  ];
}

const termsOf = ({ maxSteps }: Task) => ({ maxChatCompletions: maxSteps });

interface Runner {
  readonly controller: AbortController;
  finalContent(): Promise<string | null>;
}

async function finalContent(runner: Runner, { maxSteps }: Task): Promise<string> {
  // The SDK's version 6 leaves a listener behind with every request, and Node warns of a leak at the eleventh.
  setMaxListeners(maxSteps, runner.controller.signal);
  return (await runner.finalContent()) ?? "";
}

function runnable(tool: CountedTool) {
  const parse = (args: string): { q: string } => JSON.parse(args);
  return {
    type: "function" as const,
    function: { name: tool.name, description: tool.description, parameters, parse, function: tool.run },
  };
}

const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
