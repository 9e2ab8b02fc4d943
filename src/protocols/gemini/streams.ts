import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";
import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamContinuation, StreamFormat } from "../wire-format.ts";
import { chunkOf, notBegun, type GeminiStream, reading } from "./decoder.ts";
import { listIn } from "./names.ts";

export const streams: StreamFormat<GeminiStream> = { endMark: undefined, notBegun, reading, resume, finish };

/** Makes each chunk of a second stream one of the first: one id, all usage in one place. */
function resume(
  first: GeminiStream | undefined,
  used: GeminiStream | undefined,
  words: ContinuedText,
): StreamContinuation<GeminiStream> {
  const before = used?.usage;

  function counted({ usageMetadata }: JsonObject): JsonObject | undefined {
    return isObject(usageMetadata) && before !== undefined ? { usageMetadata: sum(before, usageMetadata) } : undefined;
  }

  /** Parts stay as they are but for what was said before, since they may be signed. */
  function goOn(candidate: unknown): unknown {
    const { content, finishReason } = objectIn(candidate);
    const told = listIn(objectIn(content).parts).flatMap(said);
    const rest = finishReason === undefined ? "" : words.end();
    if (told.length === 0 && rest === "") return candidate;
    const parts = rest === "" ? told : [...told, { text: rest }];
    return { ...objectIn(candidate), content: { ...objectIn(content), parts } };
  }

  function said(part: unknown): readonly unknown[] {
    if (!speaks(part)) {
      const rest = objectIn(part).functionCall === undefined ? "" : words.end();
      return rest === "" ? [part] : [{ text: rest }, part];
    }
    const text = stringIn(objectIn(part).text) ?? "";
    const now = words.add(text);
    if (!now.endsWith(text)) return [{ ...objectIn(part), text: now }];
    return now === text ? [part] : [{ text: now.slice(0, now.length - text.length) }, part];
  }

  return {
    from: { ...(first ?? notBegun), usage: before },
    encode(chunk) {
      const usage = counted(chunk);
      if (first === undefined) return usage && [chunkOf({ ...chunk, ...usage })];
      const own = Array.isArray(chunk.candidates) && { candidates: chunk.candidates.map(goOn) };
      return [chunkOf({ ...chunk, ...own, ...usage, ...first.head })];
    },
  };
}

function speaks(part: unknown): boolean {
  const { text, thought } = objectIn(part);
  return thought !== true && nonEmpty(text) !== undefined;
}

/** Says why it ends. None where it has not begun: then it is no answer. */
function finish({ head, usage, finished }: GeminiStream): readonly StreamEvent[] {
  if (head === undefined || finished) return [];
  // SDKs take a chunk without parts for a spoiled turn, and leave it out of the history.
  const content = { role: "model", parts: [{ text: "" }] };
  const candidates = [{ content, finishReason: "STOP", index: 0 }];
  return [chunkOf({ candidates, ...(usage && { usageMetadata: usage }), ...head })];
}
