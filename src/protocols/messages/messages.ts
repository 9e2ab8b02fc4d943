import { requestWork } from "../../work.ts";
import { recognises, requests } from "./request.ts";
import { requestsOf, saidInTarget, targetFor } from "../requests.ts";
import { type AnswersFormat, answersOf, errorType } from "../answers.ts";
import { type Json, type JsonObject, objectIn, jsonValue, stringIn } from "../json/json.ts";
import type { Protocol } from "../protocol.ts";
import { isThought, type MessageStream, notBegun, reading } from "./answer.ts";

type Events = readonly JsonObject[];

const ended = (index: number) => ({ type: "content_block_stop", index });
const grown = (index: Json, delta: JsonObject) => ({ type: "content_block_delta", index, delta });

function ending(stop: JsonObject, counts: JsonObject): Events {
  const counted = Object.fromEntries(Object.keys(noCounts).map((key) => [key, counts[key] ?? null]));
  const usage = { ...counted, server_tool_use: null, output_tokens: Number(counts.output_tokens) || 0 };
  const delta = { stop_sequence: null, container: null, ...stop };
  return [{ type: "message_delta", delta, usage }, { type: "message_stop" }];
}

const noCounts = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
const noUsage = { ...noCounts, cache_creation: null, server_tool_use: null, service_tier: null };

const writer: AnswersFormat<MessageStream>["writer"] = ({ model = "unloop" }, { id }, like) => {
  const head = { model, container: null, ...like, id: `msg_${id}`, type: "message", role: "assistant" };
  const content: JsonObject[] = [];
  let stop: JsonObject = { stop_reason: "end_turn" };

  function say(block: JsonObject, begun: JsonObject, delta: JsonObject): Events {
    const index = content.push(block) - 1;
    const start = { type: "content_block_start", index, content_block: { ...block, ...begun } };
    return [start, grown(index, delta), ended(index)];
  }
  return {
    begin() {
      const message = { ...head, content: [], stop_sequence: null, stop_reason: null, usage: noUsage };
      return [{ type: "message_start", message: { ...message, stop_details: null } }];
    },
    text(text, isRefusal) {
      // The AI SDK takes no null here, the published schema no absence.
      if (!isRefusal) return say({ type: "text", text, citations: [] }, { text: "" }, { type: "text_delta", text });
      // The SDKs parse every text of a request that demands JSON, and throw at words.
      stop = { stop_reason: "refusal", stop_details: { type: "refusal", category: null, explanation: text } };
      return [];
    },
    call({ tool: { name }, args }) {
      const input = objectIn(jsonValue(args, requestWork()));
      stop = { stop_reason: "tool_use" };
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
      return say({ type: "tool_use", id: `toolu_${id}`, name, input }, { input: {} }, delta);
    },
    end: () => ending(stop, noUsage),
    whole: () => ({ ...head, content, stop_sequence: null, ...stop, usage: noUsage }),
  };
};

const finish: AnswersFormat<MessageStream>["finish"] = ({ head, open }, { usage, finished, rests, acts }) => {
  if (head === undefined) return [];
  const rest = rests.find(({ call }) => call === open?.index)?.text ?? "";
  const end = ending({ stop_reason: acts ? "tool_use" : "end_turn" }, objectIn(usage?.usage));
  return [
    ...(open === undefined || rest === "" ? [] : [grown(open.index, { type: "input_json_delta", partial_json: rest })]),
    ...(open === undefined ? [] : [ended(open.index)]),
    ...(finished ? end.slice(1) : end),
  ];
};

const resume: AnswersFormat<MessageStream>["resume"] = ({ words, counted, at }) => {
  const before = at();
  let own: JsonObject = {};
  const places = new Map<unknown, number>();
  /** A block of text that may turn out to say nothing new: then it is left out, since none may be empty. */
  let held: JsonObject | undefined;

  const withUsage = (event: JsonObject) => counted({ ...event, usage: { ...own, ...objectIn(event.usage) } });

  function begin(event: JsonObject): Events {
    const { blocks, open } = at();
    held = undefined;
    places.set(event.index, blocks);
    return [...(open === undefined ? [] : [ended(open.index)]), { ...event, index: blocks }];
  }

  function say(text: string): Events {
    if (text === "" || held === undefined) return [];
    const { index } = held;
    const start = begin({ ...held, content_block: { type: "text", text: "" } });
    return [...start, grown(places.get(index), { type: "text_delta", text })];
  }

  function moved(event: JsonObject): Events {
    const index = places.get(event.index);
    return index === undefined ? [] : [{ ...event, index }];
  }

  return (event) => {
    switch (event.type) {
      case "message_start": {
        const message = objectIn(event.message);
        own = objectIn(message.usage);
        return before.head === undefined ? [{ ...event, message: withUsage(message) }] : [];
      }
      case "content_block_start": {
        const { type, text } = objectIn(event.content_block);
        // Two thoughts of two answers are no thought that the API would take back, so the first one's stays alone.
        if (before.thought && isThought(String(type))) return [];
        if (type !== "text" || !words.isWaiting()) return begin(event);
        held = event;
        return say(words.add(stringIn(text) ?? ""));
      }
      case "content_block_delta":
        return held === undefined ? moved(event) : say(words.add(stringIn(objectIn(event.delta).text) ?? ""));
      case "content_block_stop": {
        const rest = held === undefined ? [] : say(words.end());
        held = undefined;
        return [...rest, ...moved(event)];
      }
      case "message_delta":
        return [withUsage(event)];
      default:
        return undefined;
    }
  };
};

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const answers: AnswersFormat<MessageStream> = {
  isNamed: true,
  notBegun,
  reading,
  resume,
  finish,
  usage: ["usage"],
  usageIn: ({ message }) => message,
  tokens: {
    // This API counts what it read from its cache, and wrote there, beside the input.
    input: ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    output: ["output_tokens"],
    cached: ["cache_read_input_tokens"],
    written: "cache_creation_input_tokens",
  },
  places: [
    ["delta", "text"],
    ["content_block", "text"],
    ["content", "*", "text"],
  ],
  writer,
  // The API tells no code; ours stands beside what it tells.
  error({ code, status, message }) {
    const type = TYPES[status] ?? errorType(status);
    return { body: { type: "error", error: { type, message, code } } };
  },
};

const MAX_QUESTION_TOKENS = 1_024;

// `count_tokens` and `batches` behind it pass; OpenAI's threads have messages of their own.
// Vertex says in the path which model is asked and how it answers; a model that only counts tokens is none.
const endpoints = [
  /(^|\/)v1\/messages$/,
  /\/publishers\/anthropic\/models\/(?!count-tokens:)(?<model>[^/:]+):(?:rawPredict|(?<stream>streamRawPredict))$/i,
];

export const messages: Protocol = {
  name: "messages",
  path: "/v1/messages",
  // Claude Code sends again what is refused with 400 or 422, changed a little each time.
  refusalStatus: 402,
  recognises,
  ...requestsOf(endpoints, requests),
  ...answersOf(answers),
  question({ model, system, text }, target) {
    const said = saidInTarget(endpoints, target);
    const isVertex = said.model !== undefined;
    const body = {
      ...(isVertex ? { anthropic_version: "vertex-2023-10-16", stream: said.streams } : { model }),
      max_tokens: MAX_QUESTION_TOKENS,
      system,
      messages: [{ role: "user", content: text }],
    };
    return { target: isVertex ? targetFor(target, model) : target, body: JSON.stringify(body) };
  },
};
