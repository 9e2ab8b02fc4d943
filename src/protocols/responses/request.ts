import { answerFormatFor, habitsOf } from "../dialects/dialects.ts";
import { isObject, type JsonObject, memberAt, nonEmpty, objectIn, parseForReading, stringIn } from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import { behindTurn, substituteItems } from "./continue.ts";
import { readInput } from "./conversation.ts";
import { type NumberedTool, listedTools } from "./tools.ts";
import { wire } from "./wire.ts";

/** What the request asks for; undefined if it is no request for a response. */
export function parseRequest(text: string): ParsedRequest | undefined {
  const body = parseForReading(text);
  if (!recognises(body)) return undefined;
  const { messages, history, turns, continuation } = readInput(body.input, body.instructions);
  const tools = listedTools(body.tools).map(offeredTool);
  const habits = habitsOf(messages, history, tools.length > 0);
  const previousAnswerId = previousAnswerOf(body);
  const toolChoice = toolChoiceOf(body);
  const request: ParsedRequest = {
    model: stringIn(body.model),
    streams: body.stream === true,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    format: answerFormatFor(formatOf(body), habits),
    alternatives: false,
    hasTextActions: habits.hasTextActions,
    wrapperTools: habits.wrapperTools,
    conversation: history.conversation,
    previousAnswerId,
    keptUnder: conversationOf(body),
    samplingKey: samplingKeyOf(body),
    field: (path) => memberAt(body, path),
    standIn: (unanswered, step) => substituteItems(unanswered, step, tools),
    wire: wire.hide({ text, body, turns }),
  };
  if (previousAnswerId === undefined) return request;
  return {
    ...request,
    continuing: (turn, task) => behindTurn(request, turn, task, continuation),
  };
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
export function toolChoiceOf({ tool_choice }: JsonObject): ParsedRequest["toolChoice"] {
  if (tool_choice === "required") return "any";
  const { type, mode, name } = objectIn(tool_choice);
  if (type === "allowed_tools") return mode === "required" ? "any" : undefined;
  const tool = nonEmpty(name);
  return tool === undefined ? undefined : { tool };
}

/** A stored prompt may take the place of an input. */
export function recognises(body: unknown): body is JsonObject {
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

const SAMPLING = ["model", "temperature", "top_p", "user", "safety_identifier"];

function samplingKeyOf(body: JsonObject): string {
  return SAMPLING.map((name) => scalarText(body[name])).join("\u0000");
}

/** None of them is an object: one would be of any depth. */
function scalarText(value: unknown): string {
  return typeof value === "object" && value !== null ? "object" : String(value);
}
