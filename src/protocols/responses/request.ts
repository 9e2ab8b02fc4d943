import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import type { RequestFormat } from "../wire-format.ts";
import { type ResponsesOwn, readInput } from "./conversation.ts";
import { itemsOf, kindOf } from "./items.ts";
import { type NumberedTool, listedTools } from "./tools.ts";

export const requests: RequestFormat<ResponsesOwn> = {
  recognises,
  isRequest: recognises,
  streams: ({ stream }) => stream === true,
  sampling: ["model", "temperature", "top_p", "user", "safety_identifier"],
  read(body) {
    const { messages, history, turns, continuation } = readInput(body.input, body.instructions);
    const tools = listedTools(body.tools).map(offeredTool);
    return {
      messages,
      history,
      tools,
      hasTools: tools.length > 0,
      toolChoice: toolChoiceOf(body),
      format: formatOf(body),
      alternatives: false,
      previousAnswerId: previousAnswerOf(body),
      keptUnder: conversationOf(body),
      unread: unreadKind(body.input),
      own: { turns, continuation },
    };
  },
};

function unreadKind(input: unknown): string | undefined {
  const unread = itemsOf(input).find((item) => ["other", "reference"].includes(kindOf(item)));
  return unread === undefined ? undefined : (stringIn(objectIn(unread).type) ?? "item_reference");
}

function offeredTool({ name, description, schema, form }: NumberedTool): OfferedTool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schema }),
    ...(form === "custom" ? { form } : {}),
  };
}

/** The call that the client forces. */
function toolChoiceOf({ tool_choice }: JsonObject): ParsedRequest["toolChoice"] {
  if (tool_choice === "required") return "any";
  const { type, mode, name } = objectIn(tool_choice);
  if (type === "allowed_tools") return mode === "required" ? "any" : undefined;
  const tool = nonEmpty(name);
  return tool === undefined ? undefined : { tool };
}

/** A stored prompt may take the place of an input. */
function recognises(body: unknown): body is JsonObject {
  return isObject(body) && (typeof body.input === "string" || Array.isArray(body.input));
}

function formatOf({ text }: JsonObject): AnswerFormat {
  const { type, schema } = objectIn(objectIn(text).format);
  if (type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return type === "json_object" || type === "json_schema" ? { kind: "json" } : { kind: "text" };
}

/** The answer, or the conversation that the API keeps, which the request goes on from. */
function previousAnswerOf({ previous_response_id, conversation }: JsonObject): string | undefined {
  return nonEmpty(previous_response_id) ?? conversationOf({ conversation });
}

function conversationOf({ conversation }: JsonObject): string | undefined {
  return nonEmpty(conversation) ?? nonEmpty(objectIn(conversation).id);
}
