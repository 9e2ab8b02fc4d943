import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart, Usage } from "../protocol.ts";
import type { StreamReading } from "../wire-format.ts";
import { callIn, resultIn } from "./blocks.ts";
import { countIn, isCount } from "../answer/tokens-used.ts";

/** How far a streamed message has come. */
export interface Progress {
  /** The message as its first event told it. */
  readonly head: JsonObject | undefined;
  /** Blocks that have begun: the index of the next one. */
  readonly blocks: number;
  /** The block that has begun and not ended. */
  readonly open: { readonly index: number; readonly type: string } | undefined;
  /** A block of thoughts, which the API wants back as it was, has come. */
  readonly thought: boolean;
  /** As the wire tells it; the latest of each number holds. */
  readonly usage: JsonObject | undefined;
  /** It has said why it ends. */
  readonly finished: boolean;
}

export const notBegun: Progress = {
  head: undefined,
  blocks: 0,
  open: undefined,
  thought: false,
  usage: undefined,
  finished: false,
};

export function reading(from: Progress): StreamReading<Progress> {
  const callIds = new Map<string, number>();
  let argued = false;
  let at = from;
  /** The block whose text was told last: another one begins a line of its own. */
  let index: number | undefined;

  function tell(block: number, text: unknown): readonly StreamPart[] {
    if (typeof text !== "string" || text === "") return [];
    const apart = index !== undefined && index !== block ? "\n" : "";
    index = block;
    return [{ kind: "text", text: apart + text }];
  }

  /** Blocks come one after the other, so what comes belongs to the latest. */
  function begin(event: JsonObject): readonly StreamPart[] {
    const block = objectIn(event.content_block);
    const index = typeof event.index === "number" ? event.index : at.blocks;
    const type = stringIn(block.type) ?? "";
    at = {
      ...at,
      blocks: at.blocks + 1,
      open: { index, type },
      thought: at.thought || isThought(type),
    };
    argued = false;
    const call = callIn(block);
    if (call !== undefined) {
      if (call.id !== undefined) callIds.set(call.id, index);
      const start: StreamPart = { kind: "call-start", call: index, id: call.id, tool: call.tool };
      return call.args === "{}" ? [start] : [start, ...argue(index, call.args)];
    }
    const result = resultIn(block);
    const answered = result?.callId === undefined ? undefined : callIds.get(result.callId);
    if (result !== undefined && answered !== undefined)
      return [{ kind: "call-result", call: answered, outcome: result.outcome }];
    return [...tell(index, block.text), ...think(block.thinking)];
  }

  function argue(call: number, text: string): readonly StreamPart[] {
    if (text === "") return [];
    argued = true;
    return [{ kind: "call-args", call, text }];
  }

  function goOn({ index, delta }: JsonObject): readonly StreamPart[] {
    const { type, text, thinking, partial_json: json } = objectIn(delta);
    if (type === "text_delta") return tell(Number(index), text);
    if (type === "thinking_delta") return think(thinking);
    return type === "input_json_delta" ? argue(Number(index), stringIn(json) ?? "") : [];
  }

  /** A call without arguments has an empty object, which no event tells. */
  function close(): readonly StreamPart[] {
    const { open } = at;
    at = { ...at, open: undefined };
    if (open === undefined || !open.type.endsWith("tool_use") || argued) return [];
    return argue(open.index, "{}");
  }

  function count(usage: unknown): readonly StreamPart[] {
    if (!isObject(usage)) return [];
    at = { ...at, usage: { ...at.usage, ...usage } };
    const counted: Usage | undefined = usageOf(at.usage);
    return counted === undefined ? [] : [{ kind: "usage", usage: counted }];
  }

  function partsOf(event: JsonObject): readonly StreamPart[] {
    switch (event.type) {
      case "message_start": {
        const head = objectIn(event.message);
        at = { ...at, head };
        return [{ kind: "start", id: nonEmpty(head.id), model: nonEmpty(head.model) }, ...count(head.usage)];
      }
      case "content_block_start":
        return begin(event);
      case "content_block_delta":
        return goOn(event);
      case "content_block_stop":
        return close();
      case "message_delta": {
        const reason = nonEmpty(objectIn(event.delta).stop_reason);
        at = { ...at, finished: at.finished || reason !== undefined };
        return [...count(event.usage), ...(reason === undefined ? [] : [{ kind: "finish" as const, reason }])];
      }
      case "message_stop":
        return [{ kind: "end" }];
      case "ping":
        return [{ kind: "keepalive" }];
      case "error":
        return [{ kind: "error" }];
      default:
        return [];
    }
  }

  return {
    // The event's name says the same, and some servers leave one of the two out.
    take: (event, name) =>
      partsOf(typeof event.type === "string" ? event : { ...event, type: event.error === undefined ? name : "error" }),
    progress: () => at,
  };
}

export function isThought(type: string): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function think(text: unknown): readonly StreamPart[] {
  return typeof text === "string" && text !== "" ? [{ kind: "reasoning", text }] : [];
}

/** An event as this API writes it. */
export function eventOf(event: JsonObject & { readonly type: string }): StreamEvent {
  return { event: event.type, data: jsonText(event) ?? "" };
}

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens: input, output_tokens: output } = value;
  if (!isCount(input) && !isCount(output)) return undefined;
  const [cached, written] = [value.cache_read_input_tokens, value.cache_creation_input_tokens].map(countIn);
  return {
    // This API counts what it read from its cache, and wrote there, beside the input.
    inputTokens: countIn(input) + (cached ?? 0) + (written ?? 0),
    outputTokens: countIn(output),
    ...(cached ? { cachedInputTokens: cached } : {}),
    ...(written ? { cacheWriteTokens: written } : {}),
  };
}
