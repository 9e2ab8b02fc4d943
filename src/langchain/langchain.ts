import { toJsonSchema } from "@langchain/core/utils/json_schema";
import {
  AIMessage,
  type AgentMiddleware,
  type BaseMessage,
  createMiddleware,
  HumanMessage,
  type ModelRequest,
  SystemMessage,
  ToolMessage,
} from "langchain";
import {
  assistantMessage,
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  chatCall,
  chatTools,
  type CompletedTurn,
  editedMessages,
  type InProcessGuard,
  type InProcessOptions,
  inProcessGuard,
  isOffered,
  notedText,
  type OwnCompletion,
  readWhole,
  schemaFormat,
  verdictFacts,
} from "../in-process/in-process.ts";
import { policyNamed } from "../policy/policy.ts";

// The package's entry `unloop/langchain`: the guard as a middleware for LangChain's agents (`createAgent`, LangChain 1).

export type { ModelVerdict } from "../in-process/in-process.ts";

/** Options of the middleware for LangChain. */
export interface LangChainOptions extends InProcessOptions {
  /** Names the run that a call belongs to; without it the `thread_id` of its configuration, or else how the run begins. */
  readonly session?: (request: ModelRequest) => string | undefined;
}

/**
 * The guard for agents of LangChain: `createAgent({ model, tools, middleware: [unloop()] })`. It judges by the proxy's policies,
 * in this process. One middleware may serve many agents.
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid
 */
export function unloop({ session, policy = "default", ...options }: LangChainOptions = {}): AgentMiddleware {
  // These agents end where the model calls nothing; a last call without an answer would spoil their history.
  const guard = inProcessGuard({ ...options, policy: { ...policyNamed(policy), doneTools: [] } });
  return createMiddleware({
    name: "Unloop",
    // No hook before or behind the model: each would be a step of the graph, and take turns from the agent's recursion limit.
    wrapModelCall: (request, handler) => guarded(guard, request, handler, session?.(request)),
  });
}

/** What the agent's own handler gives; with a structured answer beside the messages, where one was asked for. */
type ModelAnswer = AIMessage | { readonly structuredResponse: unknown; readonly messages: readonly BaseMessage[] };

async function guarded(
  guard: InProcessGuard,
  request: ModelRequest,
  handler: (request: ModelRequest) => unknown,
  session: string | undefined,
): Promise<AIMessage> {
  const sent = requestFromMessages(request);
  const { configurable, signal } = request.runtime;
  const thread = configurable?.thread_id;
  const call = { request: sent, session: session ?? (typeof thread === "string" ? thread : undefined), signal };
  const { answer, verdict } = await readWhole<ModelAnswer>(guard, call, {
    ask: async (edited) => (await handler(editedRequest(request, sent, edited))) as ModelAnswer,
    turn: turnOf,
    own: (completion) => ownAnswer(completion, request),
  });
  const message = messageOf(answer);
  if (message !== undefined)
    message.response_metadata = { ...message.response_metadata, unloop: verdictFacts(verdict) };
  // Its type tells of messages alone; the agent takes either.
  return answer as AIMessage;
}

function messageOf(answer: ModelAnswer): AIMessage | undefined {
  return "structuredResponse" in answer ? answer.messages.find((one) => AIMessage.isInstance(one)) : answer;
}

function turnOf(answer: ModelAnswer): CompletedTurn {
  const message = messageOf(answer);
  const calls = message === undefined ? [] : chatCallsOf(message);
  const used = message?.usage_metadata as { input_tokens: number; output_tokens: number } | undefined;
  return {
    id: message?.id,
    text: message?.text ?? "",
    calls,
    reason: calls.length > 0 ? "tool_calls" : "stop",
    inputTokens: used?.input_tokens,
    outputTokens: used?.output_tokens,
  };
}

/** In the shape that the agent owes, where it owes one. */
function ownAnswer({ text, calls }: OwnCompletion, { responseFormat }: ModelRequest): ModelAnswer {
  const tool_calls = calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args: JSON.parse(args) }));
  const message = new AIMessage({ content: text, tool_calls });
  if (calls.length > 0 || schemaOf(responseFormat) === undefined) return message;
  return { structuredResponse: JSON.parse(text), messages: [message] };
}

function requestFromMessages(request: ModelRequest): ChatRequest {
  const { messages, tools, toolChoice, responseFormat } = request;
  const schema = schemaOf(responseFormat);
  return {
    model: "in-process",
    stream: false,
    tools: chatTools(tools.flatMap(toolFrom)),
    ...(toolChoice && toolChoice !== "auto" && { tool_choice: toolChoice }),
    ...(schema !== undefined && { response_format: schemaFormat(schema) }),
    messages: [...instructionsOf(request), ...messages].map(chatFrom),
  };
}

function instructionsOf({ systemMessage }: ModelRequest): readonly BaseMessage[] {
  return systemMessage?.text ? [systemMessage] : [];
}

/** Tools that the provider carries out by itself have no name of the agent's. */
function toolFrom(tool: ModelRequest["tools"][number]) {
  if (!("name" in tool) || typeof tool.name !== "string" || !("schema" in tool)) return [];
  return [{ name: tool.name, parameters: schemaFrom(tool.schema) }];
}

const converted = new WeakMap<object, unknown>();

function schemaFrom(format: unknown): unknown {
  if (typeof format !== "object" || format === null) return {};
  if (!converted.has(format)) converted.set(format, toJsonSchema(format as Parameters<typeof toJsonSchema>[0]));
  return converted.get(format);
}

/** Of several shapes that an answer may have, the first. */
function schemaOf(format: unknown): unknown {
  const one = Array.isArray(format) ? format[0] : format;
  if (typeof one !== "object" || one === null) return undefined;
  return schemaFrom("schema" in one ? one.schema : one);
}

function chatFrom(message: BaseMessage): ChatMessage {
  const content = textOf(message);
  if (ToolMessage.isInstance(message)) return { role: "tool", tool_call_id: message.tool_call_id, content };
  if (SystemMessage.isInstance(message)) return { role: "system", content };
  if (!AIMessage.isInstance(message)) return { role: "user", content };
  return assistantMessage(content, chatCallsOf(message));
}

/** Pictures and files as short marks. */
function textOf({ content }: BaseMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => ("text" in part ? String(part.text) : part.type === "tool_use" ? "" : `[${part.type}]`))
    .join("\n");
}

function chatCallsOf({ tool_calls = [] }: AIMessage): readonly ChatToolCall[] {
  return tool_calls.map(({ id, name, args }, index) => chatCall(id ?? `call-${index}`, name, JSON.stringify(args)));
}

/** The call with what the guard has changed in the request. The messages as they were stay as they are. */
function editedRequest(request: ModelRequest, sent: ChatRequest, edited: ChatRequest): ModelRequest {
  const first = instructionsOf(request);
  const notes: string[] = [];
  const messages = editedMessages<BaseMessage>([...first, ...request.messages], sent.messages, edited.messages, {
    at: (index) => index,
    extended,
    made: (role, text) => (role === "system" ? void notes.push(text) : new HumanMessage(text)),
  });
  // The agent takes one instruction, in front of all.
  const [system = request.systemMessage] = messages.splice(0, first.length);
  const whole = notes.reduce((message, text) => extended(message, text), system ?? new SystemMessage(""));
  const systemMessage = notes.length > 0 || system !== undefined ? (whole as SystemMessage) : request.systemMessage;
  return { ...request, messages, systemMessage, ...editedTools(request, sent, edited) };
}

function editedTools(
  { tools }: ModelRequest,
  request: ChatRequest,
  edited: ChatRequest,
): Partial<Pick<ModelRequest, "tools" | "toolChoice">> {
  const choice = edited.tool_choice;
  if (choice === undefined || JSON.stringify(choice) === JSON.stringify(request.tool_choice)) return {};
  // An agent that owes an answer of some shape may give it by a tool of its own, which it binds behind this.
  if (choice === "none" && edited.response_format !== undefined) return { tools: [] };
  const remaining = tools.filter((tool) => toolFrom(tool).every(({ name }) => isOffered(edited, name)));
  return { tools: remaining, toolChoice: choice };
}

function extended<Message extends BaseMessage>(message: Message, text: string): Message {
  const { content } = message;
  const longer = typeof content === "string" ? notedText(content, text) : [...content, { type: "text", text }];
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message, { content: longer });
  copy.lc_kwargs = { ...message.lc_kwargs, content: longer };
  return copy;
}
