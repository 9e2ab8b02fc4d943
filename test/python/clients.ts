import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import type { Wire } from "../support/wires/wire.ts";
import type { Form } from "./stories.ts";

/** A real client: in which of the virtual environments it lives, and how its model speaks. */
export interface PythonClient {
  readonly name: string;
  readonly environment: string;
  readonly form: Form;
  /** Chat completions if not given. */
  readonly wire?: Wire;
  /** Its answers come as streams, and one that breaks off is an error. */
  readonly streams?: boolean;
  /** Seconds within which a story must be over. */
  readonly seconds?: number;
}

export const clients: readonly PythonClient[] = [
  { name: "openai", environment: "main", form: "native" },
  { name: "langgraph", environment: "main", form: "native" },
  { name: "langchain", environment: "main", form: "native" },
  { name: "langchain-tool-strategy", environment: "main", form: "native" },
  { name: "openai-agents", environment: "main", form: "native" },
  { name: "pydantic-ai", environment: "main", form: "native" },
  { name: "pydantic-ai-typed", environment: "main", form: "native" },
  { name: "smolagents-tools", environment: "main", form: "native" },
  { name: "smolagents-code", environment: "main", form: "code" },
  { name: "smolagents-code-structured", environment: "main", form: "code-structured" },
  { name: "autogen", environment: "main", form: "native" },
  { name: "autogen-team", environment: "main", form: "native" },
  { name: "dspy-react", environment: "main", form: "fields" },
  { name: "litellm", environment: "main", form: "native" },
  { name: "google-genai", environment: "google", form: "native", wire: geminiWire },
  { name: "google-genai-streamed", environment: "google", form: "native", wire: geminiStreamWire, streams: true },
  { name: "google-adk", environment: "adk", form: "native", wire: geminiWire },
  { name: "google-adk-streamed", environment: "adk", form: "native", wire: geminiStreamWire, streams: true },
  { name: "ollama", environment: "adk", form: "native", wire: ollamaWire },
  { name: "ollama-streamed", environment: "adk", form: "native", wire: ollamaWire, streams: true },
  { name: "llama-index-function", environment: "llama", form: "native" },
  { name: "llama-index-react", environment: "llama", form: "react-answer" },
  { name: "anthropic-tool-runner", environment: "anthropic", form: "native", wire: messagesWire },
  { name: "agno", environment: "agno", form: "native" },
  { name: "agno-streamed", environment: "agno", form: "native" },
  { name: "haystack", environment: "haystack", form: "native" },
  { name: "crewai-text", environment: "crew", form: "react" },
  { name: "qwen-agent", environment: "qwen", form: "tagged" },
  { name: "griptape", environment: "griptape", form: "listed" },
  { name: "browser-use", environment: "browser", form: "browser", seconds: 240 },
];
