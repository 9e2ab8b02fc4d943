import { addUsage } from "../answer/sum-usage.ts";
import { defineProtocol } from "../define-protocol.ts";
import { sse } from "../framing.ts";
import { threads } from "./continue.ts";
import { streams } from "./streams.ts";
import { replies } from "./reply.ts";
import { edits } from "./rewrite.ts";
import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn, parseForReading, stringIn } from "../json/json.ts";
import type { Answer, AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import { readInput, type ResponsesOwn, stepOfOutput } from "./conversation.ts";
import { usageOf } from "./decoder.ts";
import { lastIndexIn, utf8Text } from "../../text/bytes.ts";
import type { DeltaRecord, RequestRecord } from "../wire-format.ts";
import { callOf, itemsOf, kindOf, listedTools, type NumberedTool } from "./items.ts";

const requests: RequestRecord<ResponsesOwn> = {
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

/** How a body goes on behind the items that an earlier one of its run has carried already. */
const delta: DeltaRecord = {
  comparable,
  list: "input",
  resultKey: "call_id",
  members,
  steps: (items) => (standsAlone(items) ? readInput(items, undefined).history.conversation.steps : undefined),
};

/** What an agent says of itself comes last, and in another order each time. Where it is not that, nothing is left out. */
const METADATA = ',"client_metadata":{';
const METADATA_SPAN = 16 * 1024;

function comparable(body: Uint8Array): Uint8Array {
  const near = body.subarray(-METADATA_SPAN);
  const at = lastIndexIn(near, METADATA);
  if (at === -1) return body;
  // As the last member, and of texts alone: then nothing behind it belongs to anything else.
  const text = utf8Text(near.subarray(at + METADATA.length - 1));
  const metadata = text?.endsWith("}}") === true ? parseForReading(text.slice(0, -1)) : undefined;
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === "string")) return body;
  const start = body.length - near.length + at;
  const shorter = new Uint8Array(start + 1);
  shorter.set(body.subarray(0, start));
  shorter[start] = CLOSING_BRACE;
  return shorter;
}

const CLOSING_BRACE = 0x7d;

/** Where the last item is the model's own, what is added may go on with its turn. */
function members(body: JsonObject, comparable: Uint8Array): readonly string[] | undefined {
  const { input } = body;
  const last = Array.isArray(input) ? kindOf(input.at(-1)) : undefined;
  if (last !== "result" && last !== "user") return undefined;
  return Object.keys(body).filter((name) => name !== "client_metadata" || !isLeftOut(comparable));
}

function isLeftOut(body: Uint8Array): boolean {
  return lastIndexIn(body.subarray(-METADATA_SPAN), METADATA) === -1;
}

/** It begins with a turn, tells only of its own calls, and changes no instruction: read alone it is what it is in its place. */
function standsAlone(items: readonly unknown[]): boolean {
  const first = kindOf(items[0]);
  if (first !== "said" && first !== "call" && first !== "thought") return false;
  const ids = new Set<string | undefined>();
  for (const item of items) {
    const kind = kindOf(item);
    if (kind === "instruction" || kind === "reference" || kind === "other") return false;
    if (kind === "call") ids.add(callOf(objectIn(item)).id);
    const answered = kind === "result" ? nonEmpty(objectIn(item).call_id) : undefined;
    if (answered !== undefined && !ids.has(answered)) return false;
  }
  return true;
}

/** `POST /v1/responses`. */
export const responses = defineProtocol({
  name: "responses",
  path: "/v1/responses",
  // What is behind it (`input_items`, `compact`, `cancel`, `input_tokens`) passes.
  endpoints: [/(^|\/)responses$/],
  // Codex sends again what is refused with 402 to 451.
  refusalStatus: 400,
  framing: () => sse,
  requests,
  edits,
  delta,
  threads,
  answers: { read: readAnswer, addUsage },
  streams,
  replies,
  question: ({ model, system, text }) => ({ model, instructions: system, input: text, store: false }),
});

/** Undefined for what is no complete response: an error, one that is still under way or has failed. */
function readAnswer(response: JsonObject): Answer | undefined {
  if (!Array.isArray(response.output)) return undefined;
  const status = stringIn(response.status) ?? "completed";
  if (status !== "completed" && status !== "incomplete") return undefined;
  return {
    id: nonEmpty(response.id),
    step: stepOfOutput(arrayIn(response.output)),
    finishReason: status,
    usage: usageOf(response.usage),
    model: nonEmpty(response.model),
  };
}
