import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Wire } from "../support/wires/wire.ts";
import type { Form } from "./stories.ts";

export type Language = "python" | "javascript";

/** A real client: in which environment it lives, in which form it expects actions, and what it speaks. */
export interface FrameworkClient {
  readonly name: string;
  readonly language: Language;
  readonly environment: string;
  readonly form: Form;
  readonly wire: Wire;
}

type Row = readonly [environment: string, wire: Wire, names: string, form?: Form];

const python: readonly Row[] = [
  ["main", chatCompletionsWire, "openai langgraph langchain langchain-tool-strategy openai-agents litellm"],
  ["main", chatCompletionsWire, "pydantic-ai pydantic-ai-typed smolagents-tools autogen autogen-team"],
  ["main", chatCompletionsWire, "smolagents-code", "code"],
  ["main", chatCompletionsWire, "smolagents-code-structured", "code-structured"],
  ["main", chatCompletionsWire, "dspy-react", "fields"],
  ["google", geminiWire, "google-genai"],
  ["google", geminiStreamWire, "google-genai-streamed"],
  ["adk", geminiWire, "google-adk"],
  ["adk", geminiStreamWire, "google-adk-streamed"],
  ["adk", ollamaWire, "ollama ollama-streamed"],
  ["llama", chatCompletionsWire, "llama-index-function"],
  ["llama", chatCompletionsWire, "llama-index-react", "react-answer"],
  ["anthropic", messagesWire, "anthropic-tool-runner"],
  ["agno", chatCompletionsWire, "agno agno-streamed"],
  ["haystack", chatCompletionsWire, "haystack"],
  ["crew", chatCompletionsWire, "crewai-text", "react"],
  ["qwen", chatCompletionsWire, "qwen-agent", "tagged"],
  ["griptape", chatCompletionsWire, "griptape", "listed"],
  ["browser", chatCompletionsWire, "browser-use", "browser"],
];

/** What `test/clients` has not: its SDKs and agents run in the tests' own process. */
const javascript: readonly Row[] = [
  ["ai5", responsesWire, "ai-sdk-5 ai-sdk-5-streamed ai-sdk-5-typed"],
  ["langchain", chatCompletionsWire, "langchain langchain-streamed langchain-tool-strategy"],
  ["langchain", responsesWire, "langchain-responses langchain-tool-strategy-responses"],
  ["llamaindex", chatCompletionsWire, "llamaindex"],
  ["mastra", responsesWire, "mastra mastra-streamed"],
  ["strands", chatCompletionsWire, "strands"],
  ["genkit", chatCompletionsWire, "genkit genkit-streamed"],
  ["ax", chatCompletionsWire, "ax"],
  ["volt", responsesWire, "voltagent voltagent-streamed"],
  ["agentkit", chatCompletionsWire, "agent-kit"],
  ["xsai", chatCompletionsWire, "xsai"],
  ["tanstack", chatCompletionsWire, "tanstack-chat"],
  ["tanstack", responsesWire, "tanstack-responses"],
  ["pi", chatCompletionsWire, "pi"],
  ["deepagents", chatCompletionsWire, "deepagents"],
];

export function clientsIn(language: Language): readonly FrameworkClient[] {
  return (language === "python" ? python : javascript).flatMap(([environment, wire, names, form = "native"]) =>
    names.split(" ").map((name) => ({ name, language, environment, form, wire })),
  );
}

/** Its answers come as streams, and one that breaks off is an error. */
export const tellsBrokenStreams = ({ name, wire }: FrameworkClient): boolean =>
  name.endsWith("-streamed") && (wire === geminiStreamWire || wire === ollamaWire);
