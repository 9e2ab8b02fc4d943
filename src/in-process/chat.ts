import type { AnswerSink, Fields, Signal } from "../transport/transport.ts";

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
  readonly response_format?:
    | { readonly type: "json_object" }
    | { readonly type: "json_schema"; readonly json_schema: { readonly name: string; readonly schema: unknown } };
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly seed?: number | undefined;
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

interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly parameters: unknown };
}

export function chatCall(id: string, name: string, args: string): ChatToolCall {
  return { id, type: "function", function: { name, arguments: args } };
}

export function chatTools(tools: readonly ChatTool["function"][]): readonly ChatTool[] | undefined {
  return tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", function: tool }));
}

export function assistantMessage(content: string, calls: readonly ChatToolCall[]): ChatMessage {
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}

export function schemaFormat(schema: unknown, name = "answer") {
  return { type: "json_schema", json_schema: { name, schema } } as const;
}

export interface CompletedTurn {
  readonly id: string | undefined;
  readonly text: string;
  readonly calls: readonly ChatToolCall[];
  readonly reason: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** A completion on the wire, or a chunk of one. @param named its `ask`, and of a chunk its `part`: the guard hands them back */
export function completion(
  choice: object | undefined,
  { inputTokens, outputTokens }: Partial<CompletedTurn>,
  model: string,
  named: { readonly ask: number; readonly part?: number; readonly id?: string | undefined },
): string {
  const isCounted = inputTokens !== undefined && outputTokens !== undefined;
  const total_tokens = (inputTokens ?? 0) + (outputTokens ?? 0);
  const usage = isCounted && { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens };
  const object = named.part === undefined ? "chat.completion" : "chat.completion.chunk";
  const head = { id: `ask-${named.ask}`, object, created: 0, model };
  return JSON.stringify({ ...head, choices: choice ? [choice] : [], ...(usage && { usage }), ...named });
}

export interface ModelCall {
  readonly request: ChatRequest;
  /** Names its run; undefined: the run is known by how it begins. */
  readonly session: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Asks the model, and gives its answer to the sink as a chat completion. @throws whatever the model throws */
  ask(edited: ChatRequest, sink: AnswerSink, stop: Signal): Promise<void>;
}

/** Runs one call of the model through the guard. @throws what the model threw, where the guard could not do without it */
export type InProcessGuard = (call: ModelCall, answer: AnswerSink) => Promise<void>;

/** How a framework's messages take what the guard adds. */
interface MessageEditor<Message> {
  /** Where in the framework's list a message of the request stands; -1 where it stands beside that. */
  at(index: number): number;
  /** With a text at the end of what it says. */
  extended(message: Message, text: string, index: number): Message;
  /** Undefined: it stands elsewhere. */
  made(role: ChatMessage["role"], text: string): Message | undefined;
}

/** A framework's messages with what the guard has changed in the request: it only adds, to what is said or between. */
export function editedMessages<Message>(
  own: readonly Message[],
  sent: readonly ChatMessage[],
  edited: readonly ChatMessage[],
  { at, extended, made }: MessageEditor<Message>,
): Message[] {
  const changed = [...own];
  const inserted: { readonly before: number; readonly message: Message }[] = [];
  let index = 0;
  for (const message of edited) {
    const before = sent[index];
    const content = message.content ?? "";
    if (before === undefined || !isOf(before, message)) {
      const one = made(message.role, content);
      if (one !== undefined) inserted.push({ before: index < sent.length ? at(index) : own.length, message: one });
      continue;
    }
    const text = content.slice((before.content ?? "").length).trimStart();
    const place = changed[at(index)];
    if (text !== "" && place !== undefined) changed[at(index)] = extended(place, text, index);
    index += 1;
  }
  for (const { before, message } of inserted.toReversed()) changed.splice(Math.max(0, before), 0, message);
  return changed;
}

function isOf({ role, content, tool_call_id, tool_calls }: ChatMessage, message: ChatMessage): boolean {
  const isSame = role === message.role && tool_call_id === message.tool_call_id;
  const isLonger = (message.content ?? "").startsWith(content ?? "");
  return isSame && isLonger && tool_calls?.length === message.tool_calls?.length;
}

export const notedText = (text: string, note: string): string => (text === "" ? note : `${text}\n\n${note}`);

export const isOffered = ({ tools = [] }: ChatRequest, name: string): boolean =>
  tools.some((tool) => tool.function.name === name);

/** What was done about one call of the model. */
export interface ModelVerdict {
  /** `ok`, a rung, `observe:<rung>`, or `degraded`. */
  readonly verdict: string;
  readonly session: string | undefined;
  /** How many steps the call's messages told. */
  readonly steps: number;
  readonly detector: string | undefined;
  readonly count: number | undefined;
}

/** What is said of it where a framework keeps what else is known of an answer. */
export function verdictFacts({ verdict, session, steps, detector, count }: ModelVerdict) {
  return { verdict, steps, ...(session && { session }), ...(detector && { detector }), ...(count && { count }) };
}

export function verdictIn(fields: Fields): ModelVerdict {
  const told = (name: string) => fields[`x-unloop-${name}`]?.toString();
  const [session, detector, count] = [told("session"), told("detector"), told("count")];
  const verdict = told("verdict") ?? "unguarded";
  return { verdict, session, steps: Number(told("steps") ?? 0), detector, count: count ? Number(count) : undefined };
}
