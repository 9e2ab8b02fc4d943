/**
 * An agent on the official OpenAI SDK, behind Unloop. Nothing in it knows of Unloop: the SDK reads its base URL from the environment.
 *
 *   npm start                                                              in one terminal
 *   OPENAI_API_KEY=sk-… OPENAI_BASE_URL=http://127.0.0.1:8787/v1 npx tsx examples/openai/agent.ts "Which museums are open today?"
 */
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";

const MAX_STEPS = 15;

const search: ChatCompletionTool = {
  type: "function",
  function: {
    name: "search",
    description: "Search the web",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
};

if (!process.env.OPENAI_API_KEY) {
  console.error("OPENAI_API_KEY is missing: start this example as its first lines say.");
  process.exit(2);
}
const sdk = new OpenAI();
const messages: ChatCompletionMessageParam[] = [
  { role: "system", content: "Use the search tool, then answer." },
  { role: "user", content: process.argv[2] ?? "What is the weather in Paris?" },
];

for (let step = 0; step < MAX_STEPS; step++) {
  const { data, response } = await sdk.chat.completions
    .create({ model: process.env.OPENAI_MODEL ?? "gpt-4o-mini", messages, tools: [search] })
    .withResponse();
  const message = data.choices[0]?.message;
  if (message === undefined) throw new Error("The model gave no answer.");
  // What Unloop did to this exchange; without Unloop in between there is no such header.
  console.log(`step ${step + 1}: ${response.headers.get("x-unloop-verdict") ?? "not guarded"}`);
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) {
    console.log(message.content);
    break;
  }
  messages.push(message, ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: noResults() })));
}

/** A tool that is no help: what makes models call it again and again. */
function noResults(): string {
  return JSON.stringify({ results: [], hint: "Try another query." });
}
