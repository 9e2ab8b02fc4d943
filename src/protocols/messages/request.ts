import { historyOf, type Message } from "../dialects/dialects.ts";
import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import type { RequestFormat } from "../wire-format.ts";
import { roleOf } from "./blocks.ts";
import { neutralMessages } from "./conversation.ts";

export const requests: RequestFormat<Message | undefined> = {
  recognises,
  isRequest,
  streams: ({ stream }) => stream === true,
  sampling: ["model", "temperature", "top_p", "top_k", "metadata.user_id"],
  read(body, previous) {
    const { messages } = neutralMessages(body, previous);
    const tools = toolsOf(body);
    const previousAnswerId = previousAnswerOf(body);
    return {
      messages,
      history: historyOf(messages),
      tools,
      // In a thread that the API keeps, the tools were told when it began.
      hasTools: tools.length > 0 || previousAnswerId !== undefined,
      toolChoice: toolChoiceOf(body),
      format: formatOf(body),
      alternatives: false,
      previousAnswerId,
      keptUnder: undefined,
      unread: stringIn(objectIn(arrayIn(body.messages).find((message) => roleOf(message) === undefined)).role),
      own: previous,
    };
  },
};

function isRequest(body: JsonObject): boolean {
  return arrayIn(body.messages).some((message) => roleOf(message) !== undefined);
}

/** Set where the client forces a call: of any tool, or of one. */
function toolChoiceOf({ tool_choice: choice }: JsonObject): ParsedRequest["toolChoice"] {
  const { type, name } = objectIn(choice);
  if (type === "any") return "any";
  return type === "tool" && typeof name === "string" ? { tool: name } : undefined;
}

/** Whether a body is one of this format and of no other with messages: by what only this one has. */
function recognises(body: unknown): boolean {
  if (!isObject(body) || !isRequest(body)) return false;
  if (body.system !== undefined || body.thread !== undefined || body.anthropic_version !== undefined) return true;
  if (arrayIn(body.tools).some((tool) => objectIn(tool).input_schema !== undefined)) return true;
  return arrayIn(body.messages).some(hasOwnBlocks);
}

const OWN_BLOCKS = /^(thinking|redacted_thinking|(\w+_)?tool_(use|result))$/;

function hasOwnBlocks(message: unknown): boolean {
  const { content } = objectIn(message);
  return Array.isArray(content) && content.some((block) => OWN_BLOCKS.test(stringIn(objectIn(block).type) ?? ""));
}

/** Where the API keeps the history (`thread`), a request names the message that it goes on from. */
function previousAnswerOf({ thread }: JsonObject): string | undefined {
  return nonEmpty(objectIn(thread).previous_message_id);
}

/** The client's own tools. Those that the API runs itself are of a type of their own: a client cannot be made to call them. */
function toolsOf({ tools }: JsonObject): readonly OfferedTool[] {
  return arrayIn(tools).flatMap((tool) => {
    const { type, name, description, input_schema: schema } = objectIn(tool);
    const toolName = nonEmpty(name);
    if (toolName === undefined || (type !== undefined && type !== null && type !== "custom")) return [];
    const about = nonEmpty(description);
    return [{ name: toolName, ...(about && { description: about }), ...(schema === undefined ? {} : { schema }) }];
  });
}

function formatOf({ output_config, output_format }: JsonObject): AnswerFormat {
  const { type, schema } = objectIn(objectIn(output_config).format ?? output_format);
  return type === "json_schema" && schema !== undefined ? { kind: "schema", schema } : { kind: "text" };
}

/** While the model thinks, the API refuses to be told which tool to use. */
export function thinks({ thinking }: JsonObject): boolean {
  const { type } = objectIn(thinking);
  return type !== undefined && type !== "disabled";
}
