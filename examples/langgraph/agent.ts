/**
 * LangGraph's ReAct agent behind Unloop: only the base URL of its chat model differs.
 *
 *   npm start                                                              in one terminal
 *   OPENAI_API_KEY=sk-… OPENAI_BASE_URL=http://127.0.0.1:8787/v1 npx tsx examples/langgraph/agent.ts
 */
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

if (!process.env.OPENAI_API_KEY) {
  console.error("OPENAI_API_KEY is missing: start this example as its first lines say.");
  process.exit(2);
}
const llm = new ChatOpenAI({
  model: process.env.OPENAI_MODEL ?? "gpt-4o-mini",
  configuration: {
    baseURL: process.env.OPENAI_BASE_URL ?? "http://127.0.0.1:8787/v1",
    // A name for the run, so that its sub-graphs are one session to Unloop. Without it the conversation itself names the run.
    defaultHeaders: { "x-unloop-session": `trip-${Date.now()}` },
  },
});

/** A tool that is no help: what makes models call it again and again. */
const search = tool(() => JSON.stringify({ results: [], hint: "Try another query." }), {
  name: "search",
  description: "Search the web",
  schema: z.object({ q: z.string() }),
});

const agent = createReactAgent({ llm, tools: [search], prompt: "Use the search tool, then answer." });
// LangGraph's own guard against loops throws when the limit is reached; Unloop has the model answer before that.
const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: process.argv[2] ?? "What is the weather in Paris?" }] },
  { recursionLimit: 25 },
);
console.log(`${messages.filter((message) => message.type === "tool").length} searches`);
console.log(messages.at(-1)?.text);
