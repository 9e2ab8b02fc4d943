import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { AIMessage, type BaseMessage, HumanMessage, type ModelRequest, SystemMessage, ToolMessage } from "langchain";
import {
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  chatCall,
  chatTools,
  isOffered,
  editedMessages,
  notedText,
} from "../in-process/in-process.ts";

/** The call as the guard reads it. */
export function requestFromMessages({
  systemMessage,
  messages,
  tools,
  toolChoice,
  responseFormat,
}: ModelRequest): ChatRequest {
  const offered = tools.flatMap(toolFrom);
  const schema = schemaOf(responseFormat);
  return {
    model: "in-process",
    stream: false,
    tools: chatTools(offered),
    ...(toolChoice && toolChoice !== "auto" && { tool_choice: toolChoice }),
    ...(schema !== undefined && { response_format: { type: "json_schema", json_schema: { name: "answer", schema } } }),
    messages: [...(hasSystem(systemMessage) ? [chatFrom(systemMessage)] : []), ...messages.map(chatFrom)],
  };
}

function hasSystem(message: SystemMessage | undefined): message is SystemMessage {
  return message !== undefined && message.text !== "";
}

/** Tools that the provider carries out by itself have no name of the agent's. */
function toolFrom(tool: ModelRequest["tools"][number]): readonly ChatTool["function"][] {
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
export function schemaOf(format: unknown): unknown {
  const one = Array.isArray(format) ? format[0] : format;
  if (typeof one !== "object" || one === null) return undefined;
  return schemaFrom("schema" in one ? one.schema : one);
}

function chatFrom(message: BaseMessage): ChatMessage {
  const content = textOf(message);
  if (ToolMessage.isInstance(message)) return { role: "tool", tool_call_id: message.tool_call_id, content };
  if (SystemMessage.isInstance(message)) return { role: "system", content };
  if (!AIMessage.isInstance(message)) return { role: "user", content };
  return { role: "assistant", content, ...chatCallsOf(message) };
}

/** Pictures and files as short marks. */
function textOf({ content }: BaseMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => ("text" in part ? String(part.text) : part.type === "tool_use" ? "" : `[${part.type}]`))
    .join("\n");
}

export function chatCallsOf({ tool_calls = [] }: AIMessage): Pick<ChatMessage, "tool_calls"> {
  if (tool_calls.length === 0) return {};
  return {
    tool_calls: tool_calls.map(({ id, name, args }, index) =>
      chatCall(id ?? `call-${index}`, name, JSON.stringify(args)),
    ),
  };
}

/** The call with what the guard has changed in the request. The messages as they were stay as they are. */
export function editedRequest(request: ModelRequest, sent: ChatRequest, edited: ChatRequest): ModelRequest {
  const first = hasSystem(request.systemMessage) ? [request.systemMessage] : [];
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
