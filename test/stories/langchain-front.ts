import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { AIMessage, type BaseMessage, createAgent, HumanMessage, tool, ToolMessage } from "langchain";
import { z } from "zod";
import { unloop } from "../../src/langchain/langchain.ts";
import type { ChatBody } from "../support/wires/chat-wire.ts";
import { type FrameworkTurn, throughFramework } from "./framework-front.ts";

/** Through `unloop/langchain`: a real agent, which stops before its tools, so that the story plays them. */
export const throughLangChain = throughFramework(({ baseURL, policy, mode, onVerdict }) => {
  let session: string | undefined;
  const middleware = unloop({ policy, mode, onVerdict, session: () => session });
  const model = new ChatOpenAI({ model: "scripted", apiKey: "sk-test", configuration: { baseURL }, maxRetries: 0 });
  let threads = 0;
  return async (body, named) => {
    session = named;
    threads += 1;
    const agent = createAgent({
      model,
      middleware: [middleware],
      checkpointer: new MemorySaver(),
      tools: body.tools.map(({ function: { name } }) =>
        tool(() => "never", { name, description: name, schema: z.looseObject({}) }),
      ),
      systemPrompt: systemIn(body),
    });
    const config = { configurable: { thread_id: `thread-${threads}` }, interruptBefore: ["tools" as const] };
    const { messages } = await agent.invoke({ messages: messagesOf(body) }, config);
    return turnOf(messages.at(-1));
  };
});

function systemIn({ messages }: ChatBody): string {
  const system = messages.find(({ role }) => role === "system");
  return String(system?.content ?? "");
}

function messagesOf({ messages }: ChatBody): BaseMessage[] {
  return messages.flatMap(({ role, content, tool_calls, tool_call_id = "" }): BaseMessage[] => {
    const text = typeof content === "string" ? content : "";
    if (role === "system") return [];
    if (role === "user") return [new HumanMessage(text)];
    if (role === "tool") return [new ToolMessage({ content: text, tool_call_id })];
    const calls = tool_calls.map(({ id = "", function: { name, arguments: args } }) => ({
      id,
      name,
      args: JSON.parse(args),
    }));
    return [new AIMessage({ content: text, tool_calls: calls })];
  });
}

function turnOf(message: BaseMessage | undefined): FrameworkTurn {
  if (!AIMessage.isInstance(message)) throw new Error("There is no turn.");
  const calls = (message.tool_calls ?? []).map(({ id = "", name, args }) => ({ id, name, args: JSON.stringify(args) }));
  return { text: message.text, calls };
}
