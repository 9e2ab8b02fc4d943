/** A real client with an agent loop of its own (or the loop that its documentation shows). */
export interface Client {
  readonly name: string;
  readonly run: (task: Task) => Promise<Run>;
}

export interface Task {
  /** With `/v1`. */
  readonly baseURL: string;
  /** The cap on model calls after which the client gives up by itself. */
  readonly maxSteps: number;
}

export interface Run {
  readonly finalText: string;
  readonly toolRuns: number;
  /** What the client threw, if it threw. */
  readonly error?: unknown;
}

export const apiKey = "sk-test";
export const model = "gpt-4o";
export const system = "You are a helpful assistant.";
export const question = "What is the weather in Paris?";

/** The one tool of all agents: the same question gets the same answer. */
export interface SearchTool {
  readonly name: "search";
  readonly description: string;
  readonly run: (args: { readonly q: string }) => string;
}

/** Makes a client from the way it works with a tool to its final text. */
export function client(name: string, work: (task: Task, tool: SearchTool) => Promise<string>): Client {
  const run = async (task: Task): Promise<Run> => {
    let toolRuns = 0;
    const tool: SearchTool = {
      name: "search",
      description: "Search the web",
      run: ({ q }) => {
        toolRuns += 1;
        return `Results for ${q}: rain in the morning, sun after noon.`;
      },
    };
    try {
      const finalText = await work(task, tool);
      return { finalText, toolRuns };
    } catch (error) {
      return { finalText: "", toolRuns, error };
    }
  };
  return { name, run };
}
