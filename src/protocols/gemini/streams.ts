import { sum } from "../answer/sum-usage.ts";
import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, nonEmpty, objectIn } from "../json/json.ts";
import type { StreamContinuation, StreamFormat } from "../wire-format.ts";
import { chunkOf, notBegun, type GeminiStream, reading } from "./decoder.ts";
import { listIn } from "./names.ts";

export const streams: StreamFormat<GeminiStream> = { endMark: undefined, notBegun, reading, resume, finish };

/** Makes each chunk of a second stream one of the first: one id, all usage in one place. */
function resume(first: GeminiStream | undefined, used: GeminiStream | undefined): StreamContinuation<GeminiStream> {
  const before = used?.usage;
  // What was said before and what is said now are two paragraphs.
  let apart = first?.spoke === true;

  function counted({ usageMetadata }: JsonObject): JsonObject | undefined {
    return isObject(usageMetadata) && before !== undefined ? { usageMetadata: sum(before, usageMetadata) } : undefined;
  }

  /** Parts stay as they are, since they may be signed. */
  function goOn(candidate: unknown): unknown {
    const { content } = objectIn(candidate);
    const parts = listIn(objectIn(content).parts);
    const says = apart ? parts.findIndex(speaks) : -1;
    if (says === -1) return candidate;
    apart = false;
    const spaced = [...parts.slice(0, says), { text: "\n\n" }, ...parts.slice(says)];
    return { ...objectIn(candidate), content: { ...objectIn(content), parts: spaced } };
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
