import { answerFormatFor, habitsOf, historyOf, type Message } from "../dialects/dialects.ts";
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
import { type AnswerFormat, type OfferedTool, opaque, type ParsedRequest, type PreviousTurn } from "../protocol.ts";
import { roleOf } from "./blocks.ts";
import { neutralMessages } from "./conversation.ts";
import { substituteItems, substituteItemsFor } from "./substitute-items.ts";

/** A request as it came, for what this format alone has to know. */
interface MessagesRequest {
  readonly text: string;
  readonly body: JsonObject;
  /** The turn that it goes on from, where it does not carry that itself. */
  readonly previous?: Message | undefined;
}

export const { hide, show } = opaque<MessagesRequest>();

/** What the request asks for; undefined if it is no Messages request with at least one message. */
export function parseRequest(text: string): ParsedRequest | undefined {
  const body = parseForReading(text);
  if (!isObject(body) || !arrayIn(body.messages).some((message) => roleOf(message) !== undefined)) return undefined;
  const request = requestOf({ text, body });
  return request.previousAnswerId === undefined
    ? request
    : { ...request, standIn: substituteItems, continuing: (turn, task) => behindTurn(text, body, turn, task) };
}

/** The request with the turn that it goes on from in front of all it tells. */
function behindTurn(text: string, body: JsonObject, turn: PreviousTurn, task: string): ParsedRequest {
  const { calls, standIn } = turn;
  const addition = standIn === undefined ? { text, body, saysTurn: false } : substituteItemsFor(text, standIn);
  const previous: Message | undefined = addition.saysTurn ? undefined : { part: "assistant", text: turn.text, calls };
  const request = requestOf({ text: addition.text, body: addition.body, previous });
  return { ...request, conversation: { ...request.conversation, opening: task === "" ? [] : [task] } };
}

function requestOf(wire: MessagesRequest): ParsedRequest {
  const { body, previous } = wire;
  const { messages } = neutralMessages(body, previous);
  const tools = toolsOf(body);
  const history = historyOf(messages);
  const previousAnswerId = previousAnswerOf(body);
  // In a thread that the API keeps, the tools were told when it began.
  const habits = habitsOf(messages, history, tools.length > 0 || previousAnswerId !== undefined);
  const toolChoice = toolChoiceOf(body);
  return {
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
    samplingKey: samplingKeyOf(body),
    field: (path) => memberAt(body, path),
    wire: hide(wire),
  };
}

/** Set where the client forces a call: of any tool, or of one. */
export function toolChoiceOf({ tool_choice: choice }: JsonObject): ParsedRequest["toolChoice"] {
  const { type, name } = objectIn(choice);
  if (type === "any") return "any";
  return type === "tool" && typeof name === "string" ? { tool: name } : undefined;
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
    const said = nonEmpty(description);
    return [{ name: known, ...(said && { description: said }), ...(schema === undefined ? {} : { schema }) }];
  });
}

function formatOf({ output_config, output_format }: JsonObject): AnswerFormat {
  const { type, schema } = objectIn(objectIn(output_config).format ?? output_format);
  return type === "json_schema" && schema !== undefined ? { kind: "schema", schema } : { kind: "text" };
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
