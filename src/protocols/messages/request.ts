import { answerFormatFor, habitsOf, historyOf } from "../dialects/dialects.ts";
import {
  arrayIn,
  isObject,
  type JsonObject,
  memberAt,
  nonEmpty,
  objectIn,
  parseForReading,
  stringIn,
} from "../json/json.ts";
import { type AnswerFormat, type OfferedTool, opaque, type ParsedRequest } from "../protocol.ts";
import { roleOf } from "./blocks.ts";
import { messagesOf } from "./conversation.ts";

/** A request as it came, for what this format alone has to know. */
interface MessagesRequest {
  readonly text: string;
  readonly body: JsonObject;
}

export const { hide, show } = opaque<MessagesRequest>();

/** What the request asks for; undefined if it is no Messages request with at least one message. */
export function parseRequest(text: string): ParsedRequest | undefined {
  const body = parseForReading(text);
  if (!isObject(body) || !arrayIn(body.messages).some((message) => roleOf(message) !== undefined)) return undefined;
  const messages = messagesOf(body);
  const tools = toolsOf(body);
  const history = historyOf(messages);
  const habits = habitsOf(messages, history, tools.length > 0);
  const toolChoice = toolChoiceOf(body);
  return {
    model: stringIn(body.model),
    streams: body.stream === true,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    format: answerFormatFor(formatOf(body) ?? { kind: "text" }, habits),
    alternatives: false,
    hasTextActions: habits.hasTextActions,
    wrapperTools: habits.wrapperTools,
    conversation: history.conversation,
    previousAnswerId: previousAnswerOf(body),
    samplingKey: samplingKeyOf(body),
    field: (path) => memberAt(body, path),
    wire: hide({ text, body }),
  };
}

/** Whether a body is one of this format and of no other with messages: by what only this one has. */
export function recognises(body: unknown): boolean {
  if (!isObject(body) || !arrayIn(body.messages).some((message) => roleOf(message) !== undefined)) return false;
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
    const known = nonEmpty(name);
    if (known === undefined || (type !== undefined && type !== null && type !== "custom")) return [];
    const told = { name: known, ...(typeof description === "string" ? { description } : {}) };
    return [schema === undefined ? told : { ...told, schema }];
  });
}

/** The call that the client forces. */
export function toolChoiceOf({ tool_choice }: JsonObject): ParsedRequest["toolChoice"] {
  const { type, name } = objectIn(tool_choice);
  if (type === "any") return "any";
  const tool = nonEmpty(name);
  return type === "tool" && tool !== undefined ? { tool } : undefined;
}

function formatOf({ output_config, output_format }: JsonObject): AnswerFormat | undefined {
  const { type, schema } = objectIn(objectIn(output_config).format ?? output_format);
  return type === "json_schema" && schema !== undefined ? { kind: "schema", schema } : undefined;
}

const SAMPLING = ["model", "temperature", "top_p", "top_k"];

function samplingKeyOf(body: JsonObject): string {
  const values = [...SAMPLING.map((name) => body[name]), objectIn(body.metadata).user_id];
  return values.map((value) => (typeof value === "object" && value !== null ? "object" : String(value))).join("\u0000");
}

/** While the model thinks, the API refuses to be told which tool to use. */
export function thinks({ thinking }: JsonObject): boolean {
  const { type } = objectIn(thinking);
  return type !== undefined && type !== "disabled";
}
