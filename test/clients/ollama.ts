import { type ChatResponse, type Message, Ollama, type Tool } from "ollama";
import { ollamaWire } from "../support/wires/ollama.ts";
import { type Client, type CountedTool, client, question, system, type Task } from "./client.ts";

export const ollamaClients: readonly Client[] = [
  client(
    "ollama chat",
    (task, tool) => loop(task, tool, (sdk, asked) => sdk.chat({ ...asked, stream: false })),
    ollamaWire,
  ),
  client("ollama chat, streamed", (task, tool) => loop(task, tool, streamed), ollamaWire),
];

interface Asked {
  readonly model: string;
  readonly messages: Message[];
  readonly tools: Tool[];
}

type Take = (sdk: Ollama, asked: Asked) => Promise<Pick<ChatResponse, "message">>;

const streamed: Take = async (sdk, asked) => {
  const message: Message = { role: "assistant", content: "", tool_calls: [] };
  for await (const part of await sdk.chat({ ...asked, stream: true })) {
    message.content += part.message.content;
    message.tool_calls?.push(...(part.message.tool_calls ?? []));
  }
  return { message };
};

async function loop({ baseURL, maxSteps }: Task, { name, description, run }: CountedTool, take: Take): Promise<string> {
  const sdk = new Ollama({ host: baseURL.replace(/\/v1$/, "") });
  const messages: Message[] = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
  const tools = [{ type: "function", function: { name, description, parameters } }];
  for (let step = 0; step < maxSteps; step++) {
    const { message } = await take(sdk, { model: "qwen3", messages, tools });
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const call of message.tool_calls) {
      const content = run({ q: String(call.function.arguments.q) });
      messages.push({ role: "tool", tool_name: call.function.name, content });
    }
  }
  return "";
}
