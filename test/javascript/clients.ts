import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Wire } from "../support/wires/wire.ts";

/** A real client: in which environment it lives, and what it speaks. */
export interface JavaScriptClient {
  readonly name: string;
  /** The package whose version is told. */
  readonly library: string;
  readonly environment: string;
  readonly wire: Wire;
}

const rows: readonly (readonly [environment: string, library: string, wire: Wire, names: string])[] = [
  ["ai5", "ai", responsesWire, "ai-sdk-5 ai-sdk-5-streamed ai-sdk-5-typed"],
  ["ai5", "ai", chatCompletionsWire, "ai-sdk-5-chat"],
  ["openai", "openai", chatCompletionsWire, "openai-run-tools openai-run-tools-streamed"],
  ["openai", "@openai/agents", responsesWire, "openai-agents openai-agents-streamed"],
  ["openai", "@openai/agents", chatCompletionsWire, "openai-agents-chat"],
  ["langchain", "@langchain/langgraph", chatCompletionsWire, "langgraph"],
  ["langchain", "langchain", chatCompletionsWire, "langchain langchain-streamed langchain-tool-strategy"],
  ["langchain", "langchain", responsesWire, "langchain-responses langchain-tool-strategy-responses"],
  ["llamaindex", "llamaindex", chatCompletionsWire, "llamaindex"],
  ["mastra", "@mastra/core", responsesWire, "mastra mastra-streamed"],
  ["strands", "@strands-agents/sdk", chatCompletionsWire, "strands"],
  ["genkit", "genkit", chatCompletionsWire, "genkit genkit-streamed"],
  ["ax", "@ax-llm/ax", chatCompletionsWire, "ax"],
  ["volt", "@voltagent/core", responsesWire, "voltagent voltagent-streamed"],
  ["agentkit", "@inngest/agent-kit", chatCompletionsWire, "agent-kit"],
  ["anthropic", "@anthropic-ai/sdk", messagesWire, "anthropic-tool-runner anthropic-tool-runner-streamed"],
  ["xsai", "@xsai/generate-text", chatCompletionsWire, "xsai"],
  ["genai", "@google/genai", geminiWire, "google-genai"],
  ["tanstack", "@tanstack/ai", chatCompletionsWire, "tanstack-chat"],
  ["tanstack", "@tanstack/ai", responsesWire, "tanstack-responses"],
  ["pi", "@mariozechner/pi-agent-core", chatCompletionsWire, "pi"],
  ["deepagents", "deepagents", chatCompletionsWire, "deepagents"],
];

export const clients: readonly JavaScriptClient[] = rows.flatMap(([environment, library, wire, names]) =>
  names.split(" ").map((name) => ({ name, library, environment, wire })),
);
