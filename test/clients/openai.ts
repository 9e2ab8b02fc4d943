import { setMaxListeners } from "node:events";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import type {
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { apiKey, type Client, client, model, question, type CountedTool, system, type Task } from "./client.ts";

/** The official SDK, with the loop everybody writes by hand and with its own `runTools`; and the major before. */
export const openaiClients: readonly Client[] = [
  ...clientsOf("openai", ({ baseURL }) => new OpenAI({ apiKey, baseURL })),
  ...clientsOf("openai-6", ({ baseURL }) => new OpenAI6({ apiKey, baseURL }) as unknown as OpenAI),
];

function clientsOf(name: string, connect: (task: Task) => OpenAI): readonly Client[] {
  const asking = (tool: CountedTool) => ({ model, messages: opening(), tools: [runnable(tool)] });
  return [
    client(`${name} create`, (task, tool) => loop(connect(task), task, tool, created)),
    client(`${name} create, streamed`, (task, tool) => loop(connect(task), task, tool, streamed)),
    client(`${name} runTools`, (task, tool) => {
      const terms = { maxChatCompletions: task.maxSteps };
      return finalContent(connect(task).chat.completions.runTools(asking(tool), terms), task);
    }),
    client(`${name} runTools, streamed`, (task, tool) => {
      const terms = { maxChatCompletions: task.maxSteps };
      return finalContent(connect(task).chat.completions.runTools({ ...asking(tool), stream: true }, terms), task);
    }),
  ];
}

interface Runner {
  readonly controller: AbortController;
  finalContent(): Promise<string | null>;
}

async function finalContent(runner: Runner, { maxSteps }: Task): Promise<string> {
  // The SDK's version 6 leaves a listener behind with every request, and Node warns of a leak at the eleventh.
  setMaxListeners(maxSteps, runner.controller.signal);
  return (await runner.finalContent()) ?? "";
}

interface Turn {
  readonly content: string | null;
  readonly calls: readonly ChatCompletionMessageFunctionToolCall[];
}

type Take = (sdk: OpenAI, messages: ChatCompletionMessageParam[], tools: ChatCompletionTool[]) => Promise<Turn>;

async function loop(sdk: OpenAI, { maxSteps }: Task, tool: CountedTool, take: Take): Promise<string> {
  const messages = opening();
  for (let step = 0; step < maxSteps; step++) {
    const { content, calls } = await take(sdk, messages, [declared(tool)]);
    if (calls.length === 0) return content ?? "";
    messages.push({ role: "assistant", content, tool_calls: [...calls] });
    for (const call of calls) {
      const result = tool.run(JSON.parse(call.function.arguments));
      messages.push({ role: "tool", tool_call_id: call.id, content: result });
    }
  }
  return "";
}

const created: Take = async (sdk, messages, tools) => {
  const completion = await sdk.chat.completions.create({ model, messages, tools });
  const message = completion.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).filter((call) => call.type === "function");
  return { content: message?.content ?? null, calls };
};

const streamed: Take = async (sdk, messages, tools) => {
  const terms = { stream: true, stream_options: { include_usage: true } } as const;
  const stream = await sdk.chat.completions.create({ model, messages, tools, ...terms });
  let content = "";
  let finished = false;
  const calls: ChatCompletionMessageFunctionToolCall[] = [];
  for await (const chunk of stream) {
    const choice = chunk.choices[0];
    finished ||= choice?.finish_reason != null;
    content += choice?.delta.content ?? "";
    for (const delta of choice?.delta.tool_calls ?? []) {
      calls[delta.index] ??= { id: delta.id ?? "", type: "function", function: { name: "", arguments: "" } };
      const call = calls[delta.index]?.function;
      if (!call) continue;
      call.name += delta.function?.name ?? "";
      call.arguments += delta.function?.arguments ?? "";
    }
  }
  if (!finished) throw new Error("the stream ended without a finish_reason");
  return { content: content || null, calls };
};

function opening(): ChatCompletionMessageParam[] {
  return [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
}

function declared({ name, description }: CountedTool) {
  return { type: "function" as const, function: { name, description, parameters } };
}

function runnable(tool: CountedTool) {
  const parse = (args: string): { q: string } => JSON.parse(args);
  return {
    type: "function" as const,
    function: { name: tool.name, description: tool.description, parameters, parse, function: tool.run },
  };
}

const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
