import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider";
import {
  assistantMessage,
  type ChatMessage,
  type ChatRequest,
  chatCall,
  chatTools,
  isOffered,
  editedMessages,
  notedText,
  schemaFormat,
} from "../in-process/in-process.ts";

type Message = LanguageModelV3Prompt[number];
type ToolMessage = Extract<Message, { role: "tool" }>;

interface PlacedMessage {
  readonly chat: ChatMessage;
  readonly at: number;
  /** Index among the results of one message. */
  readonly part?: number;
}

export function requestFromPrompt(params: LanguageModelV3CallOptions, model: string): ChatRequest {
  const { tools = [], toolChoice, responseFormat: format, temperature, topP: top_p, seed } = params;
  const offered = tools.flatMap((tool) =>
    tool.type === "function" ? [{ name: tool.name, parameters: tool.inputSchema }] : [],
  );
  const choice =
    toolChoice?.type === "tool"
      ? ({ type: "function", function: { name: toolChoice.toolName } } as const)
      : toolChoice?.type;
  const jsonFormat = format?.type === "json" && format.schema && schemaFormat(format.schema, format.name);
  return {
    ...{ model, stream: false, temperature, top_p, seed },
    tools: chatTools(offered),
    ...(choice !== undefined && choice !== "auto" && { tool_choice: choice }),
    ...(format?.type === "json" && { response_format: jsonFormat || { type: "json_object" } }),
    messages: placedIn(params.prompt).map(({ chat }) => chat),
  };
}

function placedIn(prompt: LanguageModelV3Prompt): readonly PlacedMessage[] {
  return prompt.flatMap((message, at): readonly PlacedMessage[] => {
    if (message.role === "tool")
      return message.content.flatMap((result, part) =>
        result.type === "tool-result"
          ? [{ at, part, chat: { role: "tool", tool_call_id: result.toolCallId, content: outcomeText(result.output) } }]
          : [],
      );
    return [{ at, chat: chatFrom(message) }];
  });
}

function chatFrom(message: Exclude<Message, ToolMessage>): ChatMessage {
  if (message.role === "system") return { role: "system", content: message.content };
  const texts = message.content.flatMap((part) =>
    part.type === "text" ? [part.text] : part.type === "file" ? [`[${part.mediaType}]`] : [],
  );
  const content = texts.join("\n");
  if (message.role === "user") return { role: "user", content };
  // What the provider carried out by itself is no action of the agent's.
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call" && part.providerExecuted !== true
      ? [chatCall(part.toolCallId, part.toolName, JSON.stringify(part.input ?? {}))]
      : [],
  );
  return assistantMessage(content, calls);
}

function outcomeText(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "The tool call was denied.";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    default:
      // Of a later specification.
      return JSON.stringify(output);
  }
}

/** The call with what the guard has changed in the request. */
export function editedParams(
  params: LanguageModelV3CallOptions,
  request: ChatRequest,
  edited: ChatRequest,
): LanguageModelV3CallOptions {
  const places = placedIn(params.prompt);
  const prompt = editedMessages<Message>(params.prompt, request.messages, edited.messages, {
    at: (index) => places[index]?.at ?? -1,
    extended: (message, text, index) => extended(message, places[index]?.part, text),
    made: (role, text) =>
      role === "user" ? { role, content: [{ type: "text", text }] } : { role: "system", content: text },
  });
  const { tool_choice: choice, response_format: format } = edited;
  const tools = params.tools?.filter((tool) => tool.type !== "function" || isOffered(edited, tool.name));
  return {
    ...params,
    prompt,
    ...(tools && { tools: choice === "none" ? tools.filter(({ type }) => type === "function") : tools }),
    ...(choice === "none" && { toolChoice: { type: "none" } }),
    ...(typeof choice === "object" && { toolChoice: { type: "tool", toolName: choice.function.name } }),
    ...(params.responseFormat?.type === "json" &&
      format?.type === "json_schema" && {
        responseFormat: { ...params.responseFormat, schema: format.json_schema.schema as object },
      }),
  };
}

function extended(message: Message, part: number | undefined, text: string): Message {
  if (message.role === "system") return { ...message, content: notedText(message.content, text) };
  if (message.role === "user") return { ...message, content: [...message.content, { type: "text", text }] };
  if (message.role === "assistant") return message;
  const content = message.content.map((result, index) =>
    index === part && result.type === "tool-result"
      ? { ...result, output: extendedOutput(result.output, text) }
      : result,
  );
  return { ...message, content };
}

function extendedOutput(output: LanguageModelV3ToolResultOutput, text: string): LanguageModelV3ToolResultOutput {
  if (output.type === "content") return { ...output, value: [...output.value, { type: "text", text }] };
  if (output.type === "execution-denied") return { ...output, reason: notedText(output.reason ?? "", text) };
  const type = output.type.startsWith("error") ? "error-text" : "text";
  return { ...output, type, value: notedText(outcomeText(output), text) };
}
