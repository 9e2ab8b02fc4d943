import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import type { StreamReading } from "../wire-format.ts";
import { callDecoder, firstChoice, headOf, isFailure, type NamedCall, reasoningIn } from "./call-decoder.ts";
import { usageOf } from "./wire.ts";

/** How far a stream of chunks has come. */
export interface ChunkStream {
  /** What each of its chunks repeats: its id, its model, its time. */
  readonly head: JsonObject;
  /** As the wire tells it. */
  readonly usage: JsonObject | undefined;
  readonly finished: boolean;
  readonly calls: readonly NamedCall[];
}

export const notBegun: ChunkStream = { head: {}, usage: undefined, finished: false, calls: [] };

/** @param from the stream that this one goes on with */
export function reading(from: ChunkStream): StreamReading<ChunkStream> {
  const calls = callDecoder();
  let { head, usage } = from;
  let finished = false;
  let begun = false;
  let id: string | undefined;

  function begin(chunk: JsonObject, choice: JsonObject | undefined, parts: StreamPart[]): void {
    if (head.id === undefined) head = headOf(chunk);
    const wasNamed = id !== undefined;
    id ??= nonEmpty(chunk.id);
    if (begun ? wasNamed || id === undefined : choice === undefined) return;
    begun = true;
    parts.push({ kind: "start", id, model: nonEmpty(chunk.model) });
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
    addTexts(objectIn(choice.delta), parts);
    calls.add(objectIn(choice.delta), parts);
    const reason = stringIn(choice.finish_reason);
    if (reason === undefined) return parts;
    finished = true;
    parts.push({ kind: "finish", reason });
    return parts;
  }

  return {
    take: (chunk, name) => (name === "error" || isFailure(chunk) ? ERROR : partsOf(chunk)),
    progress: () => ({ head, usage, finished, calls: calls.named() }),
  };
}

const ERROR: readonly StreamPart[] = [{ kind: "error" }];

function addTexts(delta: JsonObject, parts: StreamPart[]): void {
  const content = textIn(delta.content);
  const reasoning = textIn(delta[reasoningIn(delta)]);
  const refusal = textIn(delta.refusal);
  if (content !== "") parts.push({ kind: "text", text: content });
  if (reasoning !== "") parts.push({ kind: "reasoning", text: reasoning });
  if (refusal !== "") parts.push({ kind: "refusal", text: refusal });
}

/** Some servers stream content as parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => stringIn(objectIn(part).text) ?? "").join("");
}
