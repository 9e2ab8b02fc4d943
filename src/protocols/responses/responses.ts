import { type AnswersFormat, answersOf, openAiError } from "../answers.ts";
import type { FinalCall } from "../final-message.ts";
import { type Json, arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { ParsedRequest, Stamp, Protocol } from "../protocol.ts";
import { requestsOf } from "../requests.ts";
import type { ItemProgress, PartProgress, ResponseStream } from "./answer.ts";
import { inputStreamOf, notBegun, reading, wholeItem, wholePart } from "./answer.ts";
import { namedTools, isRequest, OWN_ITEM, requests } from "./request.ts";

type TypedEvent = JsonObject & { readonly type: string };

function numbering(last: number): (event: TypedEvent) => JsonObject {
  let number = last;
  return (event) => ({ ...event, sequence_number: ++number });
}

const writer: AnswersFormat<ResponseStream>["writer"] = (request, stamp, like) => {
  const head = headOf(request, stamp, like);
  const begun = { ...head, status: "in_progress", completed_at: null, output: [], usage: null };
  const numbered = numbering(-1);
  const items: ItemProgress[] = [];

  function say(item: ItemProgress, beginning: readonly TypedEvent[]): readonly JsonObject[] {
    items.push(item);
    const added = { type: "response.output_item.added", output_index: item.index, item: item.item };
    return [added, ...beginning, ...itemEnd(item)].map(numbered);
  }
  const whole = () => ({ ...head, output: items.map(wholeItem) });
  return {
    begin: () => ["response.created", "response.in_progress"].map((type) => numbered({ type, response: begun })),
    text(text, isRefusal) {
      const id = `msg_${OWN_ITEM}${stamp.id}`;
      const index = items.length;
      const part = isRefusal
        ? { type: "refusal", refusal: "" }
        : { type: "output_text", text: "", annotations: [], logprobs: [] };
      const place = { item_id: id, output_index: index, content_index: 0 };
      const item = { type: "message", id, status: "in_progress", role: "assistant", content: [] };
      return say(
        { index, item, done: false, input: "", parts: [{ list: "content", index: 0, part, text, done: false }] },
        [
          { type: "response.content_part.added", ...place, part },
          { type: `response.${part.type}.delta`, ...place, delta: text, ...(!isRefusal && { logprobs: [] }) },
        ],
      );
    },
    call(call) {
      const index = items.length;
      const item = callItem(request.wire.body, call, stamp);
      const delta = { item_id: item.id, output_index: index, delta: call.args };
      const type = `${inputStreamOf(item)?.stem}.delta`;
      return say({ index, item, done: false, input: call.args, parts: [] }, [{ type, ...delta }]);
    },
    end: () => [numbered({ type: "response.completed", response: whole() })],
    whole,
  };
};

function callItem(body: JsonObject, { tool }: FinalCall, { id }: Stamp): TypedEvent {
  const { ownName = tool.name, namespace, type } = namedTools(body).find(({ name }) => name === tool.name) ?? {};
  const named = {
    call_id: `call_${OWN_ITEM}${id}`,
    name: ownName,
    ...(namespace !== undefined && { namespace }),
    status: "in_progress",
  };
  if (type === "custom") return { type: "custom_tool_call", id: `ctc_${OWN_ITEM}${id}`, ...named, input: "" };
  return { type: "function_call", id: `fc_${OWN_ITEM}${id}`, ...named, arguments: "" };
}

const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

const each = (names: string, value: Json) => Object.fromEntries(names.split(" ").map((name) => [name, value]));

const DEFAULTS: JsonObject = {
  ...each("instructions max_output_tokens max_tool_calls previous_response_id", null),
  ...each("prompt_cache_key safety_identifier user", null),
  ...each("frequency_penalty presence_penalty top_logprobs", 0),
  ...{ background: false, parallel_tool_calls: true, service_tier: "default", store: true, temperature: 1 },
  ...{ tool_choice: "auto", tools: [], top_p: 1, truncation: "disabled", metadata: {} },
};

/** Every member that the API's specification requires: as the API has just set it, as the request has it, or as the API would set it. */
function headOf({ model, wire: { body } }: ParsedRequest, { id, created }: Stamp, like?: JsonObject): JsonObject {
  return {
    ...Object.fromEntries(Object.entries(DEFAULTS).map(([name, otherwise]) => [name, body[name] ?? otherwise])),
    model: model ?? "unloop",
    reasoning: { effort: null, summary: null, ...objectIn(body.reasoning) },
    text: { format: { type: "text" }, ...objectIn(body.text) },
    ...like,
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    completed_at: created,
    status: "completed",
    error: null,
    incomplete_details: null,
    output: [],
    usage: noUsage,
  };
}

const finish: AnswersFormat<ResponseStream>["finish"] = (at, { finished, rests }) => {
  if (at.head.id === undefined || finished) return [];
  const restOf = ({ done, index, item }: ItemProgress): string => {
    const isCall = !done && inputStreamOf(item)?.member === "arguments";
    return (isCall && rests.find(({ call }) => call === index)?.text) || "";
  };
  const output = at.items.map((item) => wholeItem({ ...item, input: item.input + restOf(item) }));
  const response = { ...at.head, completed_at: at.head.created_at ?? null, status: "completed", output };
  const ends = at.items.flatMap((item) => itemEnd(item, restOf(item)));
  return [...ends, { type: "response.completed", response }].map(numbering(at.sequence));
};

function itemEnd(before: ItemProgress, rest = ""): readonly TypedEvent[] {
  if (before.done) return [];
  const progress = { ...before, input: before.input + rest };
  const { index, item, parts, input } = progress;
  const place = { item_id: item.id, output_index: index };
  const { stem, member = "" } = inputStreamOf(item) ?? {};
  const named = item.type === "function_call" ? { name: item.name } : {};
  return [
    ...parts.filter(({ done }) => !done).flatMap((part) => partEnd(part, place)),
    ...(rest === "" ? [] : [{ type: `${stem}.delta`, ...place, delta: rest }]),
    ...(stem === undefined ? [] : [{ type: `${stem}.done`, ...place, ...named, [member]: input }]),
    { type: "response.output_item.done", output_index: index, item: wholeItem(progress) },
  ];
}

function partEnd(open: PartProgress, place: JsonObject): readonly TypedEvent[] {
  const { list, index, part, text } = open;
  const at = { ...place, [`${list}_index`]: index };
  const isSummary = list === "summary";
  const stem = isSummary ? "reasoning_summary_text" : (stringIn(part.type) ?? "");
  const said = stem === "refusal" ? { refusal: text } : { text, ...(stem === "output_text" && { logprobs: [] }) };
  return [
    { type: `response.${stem}.done`, ...at, ...said },
    { type: `response.${isSummary ? "reasoning_summary" : "content"}_part.done`, ...at, part: wholePart(open) },
  ];
}

const BEGINNINGS: ReadonlySet<string> = new Set(["response.created", "response.in_progress", "response.queued"]);

const resume: AnswersFormat<ResponseStream>["resume"] = ({ first, words, counted, at }) => {
  const begun = first?.head.id !== undefined;
  const { items, sequence } = at();
  const numbered = numbering(sequence);
  let closing = items.flatMap((item) => itemEnd(item));
  let nextPlace = (items.at(-1)?.index ?? -1) + 1;
  /** Where each item of the second stream goes; undefined for a message that says nothing new. */
  const places = new Map<unknown, number | undefined>();
  /** Events of a message that may turn out to say nothing new. */
  let held: TypedEvent[] | undefined;
  const texts = new Map<string, string>();
  const keyOf = ({ output_index, content_index }: JsonObject) => `${output_index} ${content_index ?? 0}`;

  /** A part as its reader has it; those that were not streamed stay as they are. */
  function told(place: JsonObject, part: Json): JsonObject {
    const text = texts.get(keyOf(place));
    return text === undefined || objectIn(part).type === "refusal" ? objectIn(part) : { ...objectIn(part), text };
  }

  function edited(event: TypedEvent): readonly TypedEvent[] {
    const { text, ...place } = event;
    const grown = (delta: string): readonly TypedEvent[] => {
      if (delta === "") return [];
      texts.set(keyOf(place), (texts.get(keyOf(place)) ?? "") + delta);
      return [{ ...place, type: "response.output_text.delta", delta }];
    };
    switch (event.type) {
      case "response.output_text.delta":
        return grown(words.add(stringIn(event.delta) ?? ""));
      case "response.output_text.done": {
        const isStreamed = texts.has(keyOf(event)) || words.isWaiting();
        const rest = (isStreamed ? "" : words.add(stringIn(text) ?? "")) + words.end();
        return [...grown(rest), { ...event, text: "", ...told(event, {}) }];
      }
      case "response.content_part.done":
        return [{ ...event, part: told(event, event.part) }];
      case "response.output_item.done": {
        const item = objectIn(event.item);
        if (item.type !== "message") return [event];
        const content = arrayIn(item.content).map((part, i) => told({ ...event, content_index: i }, part));
        return [{ ...event, item: { ...item, content } }];
      }
      default:
        return [event];
    }
  }

  function itemEvents(event: TypedEvent): readonly TypedEvent[] {
    const { output_index: index } = event;
    const isMessage = event.type === "response.output_item.added" && objectIn(event.item).type === "message";
    if (isMessage && words.isWaiting()) held = [];
    const isHeld = held !== undefined;
    const events = [...(held ?? []), ...edited(event)];
    held = isHeld && words.isWaiting() && event.type !== "response.output_item.done" ? events : undefined;
    if (held !== undefined) return [];
    if (isHeld && words.isWaiting()) places.set(index, undefined);
    else if (!places.has(index)) places.set(index, nextPlace++);
    const place = places.get(index);
    return place === undefined ? [] : events.map((one) => ({ ...one, output_index: place }));
  }

  function wholeResponse(response: JsonObject): JsonObject {
    if (!begun || !first) return counted(response);
    const { id, created_at } = first.head;
    const late = arrayIn(response.output).filter((_, index) => !places.has(index));
    return { ...counted(response), id, created_at, output: [...at().items.map(wholeItem), ...late] };
  }

  return (event) => {
    const type = stringIn(event.type) ?? "";
    if (begun && BEGINNINGS.has(type)) return [];
    const hasItem = typeof event.output_index === "number";
    const events = hasItem
      ? itemEvents({ ...event, type })
      : [{ ...event, type, ...(isObject(event.response) && { response: wholeResponse(event.response) }) }];
    const ends = (hasItem || isObject(event.response)) && events.length > 0 ? closing : [];
    if (ends.length > 0) closing = [];
    return [...ends, ...events].map(numbered);
  };
};

const answers: AnswersFormat<ResponseStream> = {
  isNamed: true,
  endMark: "[DONE]",
  notBegun,
  reading,
  resume,
  finish,
  usage: ["usage"],
  usageIn: ({ response }) => response,
  tokens: {
    input: ["input_tokens"],
    output: ["output_tokens"],
    cached: ["input_tokens_details", "cached_tokens"],
  },
  writer,
  error(failure) {
    const { code, message } = failure;
    return { body: openAiError(failure), event: numbering(-1)({ type: "error", code, message, param: null }) };
  },
};

export const responses: Protocol = {
  name: "responses",
  path: "/v1/responses",
  // Codex sends again what is refused with 402 to 451.
  refusalStatus: 400,
  recognises: isRequest,
  ...requestsOf([/(^|\/)responses$/], requests),
  ...answersOf(answers),
  question: ({ model, system, text }, target) => ({
    target,
    body: JSON.stringify({ model, instructions: system, input: text, store: false }),
  }),
};
