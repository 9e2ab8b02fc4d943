import { answerFormatFor, habitsOf, historyOf } from "../dialects/dialects.ts";
import { arrayIn, isObject, type JsonObject, memberAt, objectIn, parseForReading, stringIn } from "../json/json.ts";
import { type AnswerFormat, opaque, type ParsedRequest } from "../protocol.ts";
import { messagesOf } from "./messages.ts";
import { legacyNames, partOf, toolChoiceOf, toolsOf } from "./wire.ts";

/** A request as it came, for what this format alone has to know. */
interface ChatRequest {
  readonly text: string;
  readonly body: JsonObject;
  /** Tools that are called by `function_call`. */
  readonly legacy: ReadonlySet<string>;
}

export const { hide, show } = opaque<ChatRequest>();

/** What the request asks for; undefined if it is no chat-completions request with at least one message. */
export function readRequest(body: string): ParsedRequest | undefined {
  const request = parseForReading(body);
  if (!isObject(request) || !isChatRequest(request)) return undefined;
  const messages = messagesOf(arrayIn(request.messages));
  const tools = toolsOf(request);
  const history = historyOf(messages);
  const habits = habitsOf(messages, history, tools.length > 0);
  const toolChoice = toolChoiceOf(request);
  return {
    model: stringIn(request.model),
    streams: request.stream === true,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    format: answerFormatFor(formatOf(request), habits),
    alternatives: typeof request.n === "number" && request.n > 1,
    hasTextActions: habits.hasTextActions,
    wrapperTools: habits.wrapperTools,
    conversation: history.conversation,
    previousAnswerId: undefined,
    samplingKey: SAMPLING.map((name) => scalarText(request[name])).join("\u0000"),
    field: (path) => memberAt(request, path),
    wire: hide({ text: body, body: request, legacy: legacyNames(request) }),
  };
}

/** What makes two requests with one history two different ones. */
const SAMPLING = ["model", "temperature", "top_p", "seed", "user"];

/** None of them is an object: one would be of any depth. */
function scalarText(value: unknown): string {
  return typeof value === "object" && value !== null ? "object" : String(value);
}

/** Whether a body is one of a chat-completions request with at least one message. */
export function isChatRequest(body: unknown): boolean {
  return isObject(body) && arrayIn(body.messages).some((message) => partOf(message) !== undefined);
}

function formatOf(request: JsonObject): AnswerFormat {
  const format = objectIn(request.response_format);
  const schema = objectIn(format.json_schema).schema;
  if (format.type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return format.type === "json_object" || format.type === "json_schema" ? { kind: "json" } : { kind: "text" };
}
