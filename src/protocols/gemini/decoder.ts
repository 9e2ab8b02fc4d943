import type { StreamEvent } from "../framing.ts";
import { isObject, type JsonObject, jsonText, nonEmpty } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import type { StreamReading } from "../wire-format.ts";
import { answerParts, candidateIn, finishReasonIn, isFailure } from "./answer.ts";
import { callReader } from "./calls.ts";
import { usageOf } from "./usage.ts";

/** How far a streamed answer has come. */
export interface GeminiStream {
  /** What each of its chunks repeats; undefined before the first. */
  readonly head: JsonObject | undefined;
  /** As the wire tells it: the latest count of all so far. */
  readonly usage: JsonObject | undefined;
  readonly finished: boolean;
}

export const notBegun: GeminiStream = { head: undefined, usage: undefined, finished: false };

/** Each chunk is an answer of its own, with the parts that have come since the last one. */
export function reading(from: GeminiStream): StreamReading<GeminiStream> {
  const callParts = callReader();
  let { head, usage } = from;
  let finished = false;
  let begun = false;

  function begin({ responseId, modelVersion }: JsonObject): readonly StreamPart[] {
    if (begun) return [];
    begun = true;
    head ??= { responseId, modelVersion };
    return [{ kind: "start", id: nonEmpty(responseId), model: nonEmpty(modelVersion) }];
  }

  function say({ text, thought }: JsonObject): readonly StreamPart[] {
    if (typeof text !== "string" || text === "") return [];
    return [{ kind: thought === true ? "reasoning" : "text", text }];
  }

  function count({ usageMetadata }: JsonObject): readonly StreamPart[] {
    if (isObject(usageMetadata)) usage = usageMetadata;
    const counted = usageOf(usageMetadata);
    return counted === undefined ? [] : [{ kind: "usage", usage: counted }];
  }

  return {
    take(chunk) {
      if (isFailure(chunk)) return ERROR;
      const reason = finishReasonIn(chunk);
      const isAnswer = candidateIn(chunk) !== undefined || reason !== undefined;
      finished ||= reason !== undefined;
      return [
        ...(isAnswer ? begin(chunk) : []),
        ...answerParts(chunk).flatMap((part) => [...say(part), ...callParts(part)]),
        ...count(chunk),
        ...(reason === undefined ? [] : [{ kind: "finish" as const, reason }]),
      ];
    },
    progress: () => ({ head, usage, finished }),
  };
}

const ERROR: readonly StreamPart[] = [{ kind: "error" }];

/** A chunk as this API writes it. */
export function chunkOf(chunk: JsonObject): StreamEvent {
  return { event: undefined, data: jsonText(chunk) ?? "{}" };
}
