/**
 * An agent on the AI SDK with the guard in its own process: no proxy, no port, one line more.
 *
 *   OPENAI_API_KEY=sk-… npx tsx examples/ai-sdk/agent.ts
 */
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { unloop } from "unloop/ai-sdk";
import { z } from "zod";

if (!process.env.OPENAI_API_KEY) {
  console.error("OPENAI_API_KEY is missing: start this example as its first lines say.");
  process.exit(2);
}
const provider = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1" });
const model = wrapLanguageModel({
  model: provider.chat(process.env.OPENAI_MODEL ?? "gpt-4o-mini"),
  middleware: unloop(),
});

/** A tool that is no help: what makes models call it again and again. */
const search = tool({
  description: "Search the web",
  inputSchema: z.object({ q: z.string() }),
  execute: () => ({ results: [], hint: "Try another query." }),
});

const { text, steps } = await generateText({
  model,
  tools: { search },
  system: "Use the search tool, then answer.",
  prompt: process.argv[2] ?? "What is the weather in Paris?",
  stopWhen: stepCountIs(25),
});
for (const [index, { providerMetadata }] of steps.entries())
  console.log(`step ${index + 1}: ${providerMetadata?.unloop?.verdict}`);
console.log(text);
