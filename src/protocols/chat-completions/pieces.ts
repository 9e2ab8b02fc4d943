import { type SseSlice, sseSlicer, sseText } from "../../sse.ts";
import { arrayIn, isObject, type JsonObject, jsonText, objectIn, parseJson } from "../json/json.ts";
import type { Begun, StreamSegment, SplitStream } from "../protocol.ts";
import { deltasOf, headOf } from "./chunk.ts";
import { sum } from "./spent.ts";
import { nonEmpty } from "./wire.ts";

/** An event that says more than this at once is not taken apart. In bytes. */
const maxEventBytes = 1024 * 1024;

const nothing: Begun = { head: {}, spoke: false, usage: undefined };

/** Takes a stream apart, byte for byte. */
export function pieces(hasTextActions: boolean): SplitStream {
  return takenApart(hasTextActions, nothing, undefined);
}

/** The pieces of a stream that goes on with what another one began. */
export function continuing(begun: Begun, seen: boolean, hasTextActions: boolean): SplitStream {
  return takenApart(hasTextActions, seen ? begun : { ...nothing, usage: begun.usage }, continuation(begun, seen));
}

type Convert = (chunk: JsonObject) => JsonObject;

function takenApart(hasTextActions: boolean, before: Begun, convert: Convert | undefined): SplitStream {
  const slicer = sseSlicer(maxEventBytes);
  let { head, spoke, usage } = before;
  let acted = false;

  function look(chunk: JsonObject): Omit<StreamSegment, "bytes"> {
    if (head.id === undefined) head = headOf(chunk);
    if (isObject(chunk.usage)) usage = chunk.usage;
    const { says, ...seen } = glimpse(deltasOf(chunk), hasTextActions);
    acted ||= seen.kind === "calls";
    spoke ||= says && !acted;
    return seen;
  }

  function pieceOf({ bytes, event }: SseSlice): StreamSegment {
    const told = event === undefined ? undefined : parseJson(event.data);
    if (!isObject(told)) return { bytes, kind: "frame", tools: [] };
    if (convert === undefined) return { bytes, ...look(told) };
    const chunk = convert(told);
    const data = jsonText(chunk);
    const converted = data === undefined ? bytes : new TextEncoder().encode(sseText({ event: event?.event, data }));
    return { bytes: converted, ...look(chunk) };
  }

  return {
    push: (bytes) => slicer.push(bytes).map(pieceOf),
    rest() {
      const last = slicer.rest();
      return last.bytes.length === 0 ? [] : [pieceOf(last)];
    },
    begun: () => ({ head, spoke, usage }),
  };
}

interface Glimpse extends Omit<StreamSegment, "bytes"> {
  /** Something that its reader will read, not only a thought. */
  readonly says: boolean;
}

function glimpse(deltas: readonly JsonObject[], hasTextActions: boolean): Glimpse {
  const calls = deltas.flatMap(({ tool_calls, function_call }) => [
    ...arrayIn(tool_calls).filter(isObject).map(calledIn),
    ...(isObject(function_call) && Object.keys(function_call).length > 0 ? [function_call] : []),
  ]);
  const says = deltas.some(({ content }) => saysSomething(content));
  if (calls.length > 0 || (says && hasTextActions))
    return { kind: "calls", tools: calls.flatMap(({ name }) => nonEmpty(name) ?? []), says };
  const thinks = deltas.some((delta) =>
    [delta.refusal, delta.reasoning_content, delta.reasoning].some((text) => saysSomething(text)),
  );
  return { kind: says || thinks ? "words" : "frame", tools: [], says };
}

function calledIn(call: JsonObject): JsonObject {
  return isObject(call.custom) ? call.custom : objectIn(call.function);
}

/** Some servers stream content as parts. */
function saysSomething(content: unknown): boolean {
  return (typeof content === "string" || Array.isArray(content)) && content.length > 0;
}

/** Makes each chunk of a second stream one of the first. */
function continuation({ head, spoke, usage }: Begun, seen: boolean): Convert {
  // What was said before and what is said now are two paragraphs.
  let apart = spoke;
  const goOn = (choice: unknown): unknown => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const { role: _, ...delta } = choice.delta;
    if (!apart || typeof delta.content !== "string" || delta.content === "") return { ...choice, delta };
    apart = false;
    return { ...choice, delta: { ...delta, content: `\n\n${delta.content}` } };
  };
  return (chunk) => {
    const counted = isObject(chunk.usage) && usage !== undefined ? { usage: sum(usage, chunk.usage) } : {};
    if (!seen) return { ...chunk, ...counted };
    return { ...chunk, ...head, choices: arrayIn(chunk.choices).map(goOn), ...counted };
  };
}
