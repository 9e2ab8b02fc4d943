import type { SseEvent } from "../../sse/sse.ts";
import { eventReader } from "../answer/event-reader.ts";
import { soleText, type TextFrame } from "../answer/framed-texts.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { opaque, type StreamDecoder, type StreamPart, type StreamState } from "../protocol.ts";
import { callDecoder, type NamedCall } from "./call-decoder.ts";
import { firstChoice, headOf, isFailure, placeIn, reasoningIn } from "./chunk.ts";
import { usageOf } from "./wire.ts";

/** How far a stream of chunks has come. */
export interface ChunkStream {
  /** What each of its chunks repeats: its id, its model, its time. */
  readonly head: JsonObject;
  /** It has said something that its reader reads, beside what it thought. */
  readonly spoke: boolean;
  /** As the wire tells it. */
  readonly usage: JsonObject | undefined;
  readonly finished: boolean;
  readonly calls: readonly NamedCall[];
}

export const { hide, show } = opaque<ChunkStream, StreamState>();

const nothing: ChunkStream = { head: {}, spoke: false, usage: undefined, finished: false, calls: [] };

/** @param from the stream that this one goes on with */
export function chunkDecoder(from: Partial<ChunkStream> = nothing): StreamDecoder {
  const reader = eventReader(placeIn);
  const calls = callDecoder();
  let { head, spoke, usage } = { ...nothing, ...from };
  let finished = false;
  let begun = false;
  let id: string | undefined;
  let frame: TextFrame | undefined;

  function begin(chunk: JsonObject, choice: JsonObject | undefined, parts: StreamPart[]): void {
    if (head.id === undefined) head = headOf(chunk);
    const wasNamed = id !== undefined;
    id ??= nonEmpty(chunk.id);
    if (begun ? wasNamed || id === undefined : choice === undefined) return;
    begun = true;
    parts.push({ kind: "start", id });
  }

  function count(chunk: JsonObject, parts: StreamPart[]): void {
    if (!isObject(chunk.usage)) return;
    // Some servers count in every chunk: running totals, so the last one holds.
    usage = chunk.usage;
    const counted = usageOf(usage);
    if (counted !== undefined) parts.push({ kind: "usage", usage: counted });
  }

  function partsOf(chunk: JsonObject): readonly StreamPart[] {
    const parts: StreamPart[] = [];
    const choice = firstChoice(chunk);
    begin(chunk, choice, parts);
    count(chunk, parts);
    if (choice === undefined) return parts;
    spoke = addTexts(objectIn(choice.delta), parts) || spoke;
    calls.add(objectIn(choice.delta), parts);
    const reason = stringIn(choice.finish_reason);
    if (reason === undefined) return parts;
    finished = true;
    parts.push({ kind: "finish", reason });
    return parts;
  }

  return {
    decode({ event, data }: SseEvent) {
      if (isLast(data)) return END;
      frame = undefined;
      const chunk = reader.read(data);
      if (chunk === undefined) return undefined;
      const parts = event === "error" || isFailure(chunk) ? ERROR : partsOf(chunk);
      const text = soleText(parts);
      frame = text && reader.frame(text, event);
      return parts;
    },
    frame: () => frame,
    state: () => hide({ head, spoke, usage, finished, calls: calls.named() }),
  };
}

const END: readonly StreamPart[] = [{ kind: "end" }];
const ERROR: readonly StreamPart[] = [{ kind: "error" }];

/** Blanks around the mark are the server's affair, but a chunk is longer than any of them. In characters. */
const MAX_LAST = 64;

function isLast(data: string): boolean {
  return data.length < MAX_LAST && data.trim() === "[DONE]";
}

/** Whether there is anything for its reader. */
function addTexts(delta: JsonObject, parts: StreamPart[]): boolean {
  const content = textIn(delta.content);
  const reasoning = textIn(delta[reasoningIn(delta)]);
  const refusal = textIn(delta.refusal);
  if (content !== "") parts.push({ kind: "text", text: content });
  if (reasoning !== "") parts.push({ kind: "reasoning", text: reasoning });
  if (refusal !== "") parts.push({ kind: "refusal", text: refusal });
  return content !== "";
}

/** Some servers stream content as parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => stringIn(objectIn(part).text) ?? "").join("");
}
