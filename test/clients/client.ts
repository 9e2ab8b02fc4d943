import type { Wire } from "../support/wires/wire.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";

export interface Client {
  readonly name: string;
  /** What it speaks. */
  readonly wire: Wire;
  readonly run: (task: Task) => Promise<Run>;
}

export interface Task {
  readonly baseURL: string;
  /** The cap on model calls after which the client gives up by itself. */
  readonly maxSteps: number;
  /** `search` if not given. */
  readonly tool?: ToolName;
}

export type ToolName = "search" | "send_message";

export interface Run {
  readonly finalText: string;
  readonly toolRuns: number;
  readonly error?: unknown;
}

export const apiKey = "sk-test";
export const model = "gpt-4o";
export const system = "You are a helpful assistant.";
export const question = "What is the weather in Paris?";

export interface CountedTool {
  readonly name: ToolName;
  readonly description: string;
  readonly run: (args: { readonly q: string }) => string;
}

const descriptions: Readonly<Record<ToolName, string>> = {
  search: "Search the web",
  send_message: "Send the team a message",
};

/** The same question gets the same answer; each message that goes out is another one. */
const results: Readonly<Record<ToolName, (q: string, run: number) => string>> = {
  search: (q) => `Results for ${q}: rain in the morning, sun after noon.`,
  send_message: (_, run) => `Sent, as number ${run}.`,
};

export function client(
  name: string,
  work: (task: Task, tool: CountedTool) => Promise<string>,
  wire: Wire = chatCompletionsWire,
): Client {
  const run = async (task: Task): Promise<Run> => {
    const { tool: name = "search" } = task;
    let toolRuns = 0;
    const tool: CountedTool = {
      name,
      description: descriptions[name],
      run: ({ q }) => {
        toolRuns += 1;
        return results[name](q, toolRuns);
      },
    };
    try {
      const finalText = await work(task, tool);
      return { finalText, toolRuns };
    } catch (error) {
      return { finalText: "", toolRuns, error };
    }
  };
  return { name, wire, run };
}
