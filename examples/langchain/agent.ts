/**
 * LangChain's agent with the guard in its own process: no proxy, no port, one line more.
 *
 *   OPENAI_API_KEY=sk-… npx tsx examples/langchain/agent.ts
 */
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { unloop } from "unloop/langchain";
import { z } from "zod";

if (!process.env.OPENAI_API_KEY) {
  console.error("OPENAI_API_KEY is missing: start this example as its first lines say.");
  process.exit(2);
}

/** A tool that is no help: what makes models call it again and again. */
const search = tool(() => JSON.stringify({ results: [], hint: "Try another query." }), {
  name: "search",
  description: "Search the web",
  schema: z.object({ q: z.string() }),
});

const agent = createAgent({
  model: new ChatOpenAI({
    model: process.env.OPENAI_MODEL ?? "gpt-4o-mini",
    configuration: { baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1" },
  }),
  tools: [search],
  systemPrompt: "Use the search tool, then answer.",
  middleware: [unloop({ onVerdict: ({ verdict }) => console.log(verdict) })],
});

const question = process.argv[2] ?? "What is the weather in Paris?";
const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] });
console.log(messages.at(-1)?.text);
