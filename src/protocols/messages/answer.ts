import type { EventReading } from "../answers.ts";
import { type Json, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import { blocksOf, callIn, resultIn } from "./request.ts";

export interface MessageStream {
  readonly head: JsonObject | undefined;
  readonly blocks: number;
  readonly open: { readonly index: number; readonly type: string } | undefined;
  /** A block of thoughts, which the API wants back as it was, has come. */
  readonly thought: boolean;
}

export const notBegun: MessageStream = { head: undefined, blocks: 0, open: undefined, thought: false };

export function reading(from: MessageStream): EventReading<MessageStream> {
  const callIds = new Map<string | undefined, number>();
  let { head, blocks, open, thought } = from;
  let argued = false;
  /** The block whose text was told last: another one begins a line of its own. */
  let latest: number | undefined;

  function tell(block: number, value: Json): readonly StreamPart[] {
    const text = nonEmpty(value);
    if (text === undefined) return [];
    const apart = latest !== undefined && latest !== block ? "\n" : "";
    latest = block;
    return [{ kind: "text", text: apart + text }];
  }

  function argue(call: number, text: string): readonly StreamPart[] {
    argued ||= text !== "";
    return text === "" ? [] : [{ kind: "call-args", call, text }];
  }

  function begin(index: number, block: JsonObject): readonly StreamPart[] {
    const type = stringIn(block.type) ?? "";
    [open, argued] = [{ index, type }, false];
    blocks += 1;
    thought ||= isThought(type);
    const call = callIn(block);
    if (call !== undefined) {
      callIds.set(call.id, index);
      const start: StreamPart = { kind: "call-start", call: index, id: call.id, tool: call.tool };
      const hosted: StreamPart = type === "tool_use" ? start : { ...start, isHosted: true };
      return [hosted, ...argue(index, call.args === "{}" ? "" : call.args)];
    }
    const result = resultIn(block);
    const answered = result?.id === undefined ? undefined : callIds.get(result.id);
    if (result === undefined || answered === undefined) return [...tell(index, block.text), ...think(block.thinking)];
    return [{ kind: "call-result", call: answered, outcome: result.outcome }];
  }

  function goOn({ index, delta }: JsonObject): readonly StreamPart[] {
    const { type, text, thinking, partial_json: json } = objectIn(delta);
    if (type === "text_delta") return tell(Number(index), text);
    if (type === "thinking_delta") return think(thinking);
    return type === "input_json_delta" ? argue(Number(index), stringIn(json) ?? "") : [];
  }

  /** A call without arguments has an empty object, which no event tells. */
  function close(): readonly StreamPart[] {
    const closed = open;
    open = undefined;
    return closed?.type.endsWith("tool_use") && !argued ? argue(closed.index, "{}") : [];
  }

  function start(message: JsonObject): readonly StreamPart[] {
    head = message;
    return [{ kind: "start", id: nonEmpty(message.id), model: nonEmpty(message.model) }];
  }

  function stop(told: Json): readonly StreamPart[] {
    const reason = nonEmpty(objectIn(told).stop_reason);
    return reason === undefined ? [] : [{ kind: "finish", reason }];
  }

  function partsOf(event: JsonObject): readonly StreamPart[] {
    switch (event.type) {
      case "message_start":
        return start(objectIn(event.message));
      case "content_block_start":
        return begin(typeof event.index === "number" ? event.index : blocks, objectIn(event.content_block));
      case "content_block_delta":
        return goOn(event);
      case "content_block_stop":
        return close();
      case "message_delta":
        return stop(event.delta);
      case "message_stop":
        return END;
      case "ping":
        return [{ kind: "keepalive" }];
      case "error":
        return [{ kind: "error" }];
      default:
        return event.role === "assistant" && Array.isArray(event.content) ? whole(event) : [];
    }
  }

  function whole(message: JsonObject): readonly StreamPart[] {
    const parts = [...start(message)];
    for (const [index, block] of blocksOf(message.content).entries()) parts.push(...begin(index, block), ...close());
    return [...parts, ...stop(message), ...END];
  }

  return { take: partsOf, progress: () => ({ head, blocks, open, thought }) };
}

const END: readonly StreamPart[] = [{ kind: "end" }];

export const isThought = (type: string) => type === "thinking" || type === "redacted_thinking";

const think = (text: Json): readonly StreamPart[] =>
  typeof text === "string" && text !== "" ? [{ kind: "reasoning", text }] : [];
