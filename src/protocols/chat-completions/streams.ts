import type { StreamEvent } from "../framing.ts";
import { arrayIn, isObject, type JsonObject, jsonText, stringIn } from "../json/json.ts";
import type { ArgsCompletion } from "../protocol.ts";
import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";
import type { StreamContinuation, StreamFormat } from "../wire-format.ts";
import { type ChunkStream, notBegun, reading } from "./decoder.ts";

export const streams: StreamFormat<ChunkStream> = { endMark: "[DONE]", notBegun, reading, resume, finish };

/** Makes each chunk of a second stream one of the first: one id, one role, all usage in one place. */
function resume(
  first: ChunkStream | undefined,
  used: ChunkStream | undefined,
  words: ContinuedText,
): StreamContinuation<ChunkStream> {
  const usage = used?.usage;
  const convert = continuation(first, usage, words);
  return {
    from: { ...(first ?? notBegun), usage },
    encode(chunk, name) {
      const converted = convert(chunk);
      const json = converted === chunk ? undefined : jsonText(converted);
      return json === undefined ? undefined : [{ event: name, data: json }];
    },
  };
}

function continuation(
  first: ChunkStream | undefined,
  usage: JsonObject | undefined,
  words: ContinuedText,
): (chunk: JsonObject) => JsonObject {
  const goOn = (choice: unknown): unknown => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const { role: _, ...delta } = choice.delta;
    const isOver = delta.tool_calls !== undefined || choice.finish_reason != null;
    const said = words.add(stringIn(delta.content) ?? "") + (isOver ? words.end() : "");
    return { ...choice, delta: said === (delta.content ?? "") ? delta : { ...delta, content: said } };
  };
  return (chunk) => {
    const counted = isObject(chunk.usage) && usage !== undefined ? { usage: sum(usage, chunk.usage) } : undefined;
    if (first === undefined) return counted === undefined ? chunk : { ...chunk, ...counted };
    return { ...chunk, ...first.head, choices: arrayIn(chunk.choices).map(goOn), ...counted };
  };
}

/** Ends a stream as it stands: begun arguments closed, a finish if there was none, the mark of its end. */
function finish(
  { head, finished, calls }: ChunkStream,
  rests: readonly ArgsCompletion[],
  acts = false,
): readonly StreamEvent[] {
  const reason = !acts ? "stop" : calls[0]?.kind === "legacy" ? "function_call" : "tool_calls";
  const chunk = (delta: JsonObject, finish_reason: string | null) =>
    JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const closing = rests.flatMap(({ call, text }): readonly JsonObject[] => {
    const { kind, index } = calls[call] ?? {};
    if (kind === "legacy") return [{ function_call: { arguments: text } }];
    return kind === "function" ? [{ tool_calls: [{ index, function: { arguments: text } }] }] : [];
  });
  const chunks = finished ? [] : [...closing.map((delta) => chunk(delta, null)), chunk({}, reason)];
  return [...chunks, "[DONE]"].map((data) => ({ event: undefined, data }));
}
