/** A framework's call of the model as a chat completion, which is how the guard reads it. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[] | undefined;
  readonly tool_choice?:
    | "auto"
    | "none"
    | "required"
    | { readonly type: "function"; readonly function: { readonly name: string } };
  readonly response_format?: { readonly type: "json_object" } | JsonSchemaFormat;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly seed?: number | undefined;
}

interface JsonSchemaFormat {
  readonly type: "json_schema";
  readonly json_schema: { readonly name: string; readonly schema: unknown };
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: unknown };
}

export function chatCall(id: string, name: string, args: string): ChatToolCall {
  return { id, type: "function", function: { name, arguments: args } };
}

/** Tools as a request offers them; undefined where there are none. */
export function chatTools(tools: readonly ChatTool["function"][]): readonly ChatTool[] | undefined {
  return tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", function: tool }));
}

/** One turn of the model, as far as the guard looks at it. */
export interface CompletedTurn {
  readonly id: string | undefined;
  readonly text: string;
  readonly calls: readonly ChatToolCall[];
  /** As the wire tells it. */
  readonly reason: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The turn on the wire. @param ask names the framework's own answer, which the guard hands back by it */
export function chatCompletion(
  { id, text, calls, reason, ...used }: CompletedTurn,
  model: string,
  ask: number,
): object {
  const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  const choices = [{ index: 0, message, finish_reason: reason }];
  const usage = wireUsage(used);
  return {
    id: id ?? `ask-${ask}`,
    object: "chat.completion",
    created: 0,
    model,
    choices,
    ...(usage && { usage }),
    ask,
  };
}

export function wireUsage({
  inputTokens,
  outputTokens,
}: Partial<Pick<CompletedTurn, "inputTokens" | "outputTokens">>): object | undefined {
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

const encoder = new TextEncoder();

export function chatBytes(json: object): Uint8Array {
  return encoder.encode(JSON.stringify(json));
}

export function eventBytes(data: object | "[DONE]"): Uint8Array {
  return encoder.encode(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
}
