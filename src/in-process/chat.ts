import { jsonPatch } from "../text/json-patch.ts";

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

/** What the guard has changed in a request's messages: it only adds. */
export interface MessageEdits {
  /** By the message's index: the text to add at the end of what it says. */
  readonly added: ReadonlyMap<number, string>;
  /** New messages, each before the message of that index, or behind the last. */
  readonly inserted: readonly { readonly before: number; readonly message: ChatMessage }[];
}

export function messageEdits(messages: readonly ChatMessage[], edited: readonly ChatMessage[]): MessageEdits {
  const added = new Map<number, string>();
  const inserted: { before: number; message: ChatMessage }[] = [];
  /** Which of the messages as they were stands where. */
  const standing: (number | undefined)[] = messages.map((_, index) => index);
  for (const operation of jsonPatch(messages, edited)) {
    const [, place = "", member] = operation.path.split("/");
    const at = Number(place);
    if (operation.op === "remove") continue;
    if (member === undefined) {
      standing.splice(at, 0, undefined);
      const before = standing.slice(at).find((index) => index !== undefined) ?? messages.length;
      inserted.push({ before, message: operation.value as ChatMessage });
    } else {
      const index = standing[at];
      if (index !== undefined && member === "content")
        added.set(index, textAdded(messages[index], String(operation.value)));
    }
  }
  return { added, inserted };
}

function textAdded(message: ChatMessage | undefined, now: string): string {
  const before = message?.content ?? "";
  return (now.startsWith(before) ? now.slice(before.length) : now).trimStart();
}

/** A text with a note at its end. */
export function notedText(text: string, note: string): string {
  return text === "" ? note : `${text}\n\n${note}`;
}

/** Whether a tool is still offered. */
export function isOffered({ tools = [] }: ChatRequest, name: string): boolean {
  return tools.some((tool) => tool.function.name === name);
}
