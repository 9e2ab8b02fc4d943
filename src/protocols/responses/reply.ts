import type { FinalMessage } from "../final-message.ts";
import { type JsonObject, objectIn } from "../json/json.ts";
import type { ParsedRequest, Stamp } from "../protocol.ts";
import type { ReplyFormat } from "../wire-format.ts";
import { eventOf, type TypedEvent } from "./decoder.ts";
import { OWN_ITEM } from "./references.ts";
import { listedTools } from "./items.ts";

export const replies: ReplyFormat<unknown> = {
  write({ text, call, isRefusal = false }, request, { body }, stamp) {
    const output = [
      ...(text === null ? [] : [messageItem(text, isRefusal, stamp)]),
      ...(call === undefined ? [] : [callItem(body, call, stamp)]),
    ];
    const whole = responseOf(request, body, output, stamp);
    return { whole, events: eventsOf(whole, output).map(eventOf) };
  },
  // `code` tells clients apart what happened; `message` is for people.
  error({ code, status, message }) {
    const type = status < 500 ? "invalid_request_error" : "api_error";
    const event = eventOf({ type: "error", code, message, param: null }, 0);
    return { body: { error: { message, type, param: null, code } }, event };
  },
};

// --- what is said ---

/** @param isRefusal no form that was demanded could say it */
function messageItem(text: string, isRefusal: boolean, { id }: Stamp): JsonObject {
  const textPart = { type: "output_text", text, annotations: [], logprobs: [] };
  return {
    type: "message",
    id: `msg_${OWN_ITEM}${id}`,
    status: "completed",
    role: "assistant",
    content: [isRefusal ? { type: "refusal", refusal: text } : textPart],
  };
}

function callItem(body: JsonObject, { tool, args }: FinalCall, { id }: Stamp): JsonObject {
  const numbered = listedTools(body.tools).find(({ name }) => name === tool.name);
  const named = {
    call_id: `call_${OWN_ITEM}${id}`,
    name: numbered?.ownName ?? tool.name,
    ...(numbered?.namespace === undefined ? {} : { namespace: numbered.namespace }),
    status: "completed",
  };
  if (numbered?.form === "custom")
    return { type: "custom_tool_call", id: `ctc_${OWN_ITEM}${id}`, ...named, input: args };
  return { type: "function_call", id: `fc_${OWN_ITEM}${id}`, ...named, arguments: args };
}

type FinalCall = NonNullable<FinalMessage["call"]>;

/** Nothing was asked of a model, so nothing is counted. */
const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** With every member that the SDKs' types call for, as the request has them or as the API would set them. */
function responseOf(
  { model }: ParsedRequest,
  body: JsonObject,
  output: readonly JsonObject[],
  { id, created }: Stamp,
): JsonObject {
  const requestField = <Value>(name: string, otherwise: Value): unknown => body[name] ?? otherwise;
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: requestField("instructions", null),
    max_output_tokens: requestField("max_output_tokens", null),
    model: model ?? "unloop",
    output,
    parallel_tool_calls: requestField("parallel_tool_calls", true),
    previous_response_id: requestField("previous_response_id", null),
    reasoning: { effort: null, summary: null, ...objectIn(body.reasoning) },
    store: requestField("store", true),
    temperature: requestField("temperature", 1),
    text: { format: { type: "text" }, ...objectIn(body.text) },
    tool_choice: requestField("tool_choice", "auto"),
    tools: requestField("tools", []),
    top_p: requestField("top_p", 1),
    truncation: requestField("truncation", "disabled"),
    usage: noUsage,
    user: requestField("user", null),
    metadata: requestField("metadata", {}),
  };
}

// --- how it is streamed ---

function eventsOf(response: JsonObject, output: readonly JsonObject[]): readonly TypedEvent[] {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap(itemEvents),
    { type: "response.completed", response },
  ];
}

function itemEvents(item: JsonObject, output_index: number): readonly TypedEvent[] {
  const place = { item_id: item.id, output_index };
  const [announced, events] = item.type === "message" ? messageEvents(item, place) : callEvents(item, place);
  return [
    { type: "response.output_item.added", output_index, item: { ...announced, status: "in_progress" } },
    ...events,
    { type: "response.output_item.done", output_index, item },
  ];
}

type NoteFacts = readonly [announced: JsonObject, told: readonly TypedEvent[]];

function messageEvents(item: JsonObject, place: JsonObject): NoteFacts {
  const [part] = item.content as readonly [JsonObject];
  const at = { ...place, content_index: 0 };
  const [name, stem, more] = part.type === "refusal" ? (["refusal", "refusal", {}] as const) : SAID;
  const events: readonly TypedEvent[] = [
    { type: "response.content_part.added", ...at, part: { ...part, [name]: "" } },
    { type: `response.${stem}.delta`, ...at, delta: part[name], ...more },
    { type: `response.${stem}.done`, ...at, [name]: part[name], ...more },
    { type: "response.content_part.done", ...at, part },
  ];
  return [{ ...item, content: [] }, events];
}

const SAID = ["text", "output_text", { logprobs: [] }] as const;

function callEvents(item: JsonObject, place: JsonObject): NoteFacts {
  const isCustom = item.type === "custom_tool_call";
  const name = isCustom ? "input" : "arguments";
  const stem = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const events: readonly TypedEvent[] = [
    { type: `${stem}.delta`, ...place, delta: item[name] },
    { type: `${stem}.done`, ...place, ...(isCustom ? {} : { name: item.name }), [name]: item[name] },
  ];
  return [{ ...item, [name]: "" }, events];
}
