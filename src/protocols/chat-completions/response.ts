import { type SseEvent, sseReader, sseText, utf8Reader } from "../../sse.ts";
import { arrayIn, isObject, type JsonObject, objectIn, parseJson, stringIn } from "../json/json.ts";
import type { Answer, AnswerFold, Listener, Usage } from "../protocol.ts";
import { headOf } from "./chunk.ts";
import { chunkReader } from "./chunk-reader.ts";
import { stepOf } from "./messages.ts";
import { emptyMessage } from "./deltas.ts";
import { usageOf } from "./wire.ts";

/** Characters of an answer that are kept; a longer one is given up, for it would hold memory as long as it streams. */
const maxAnswerChars = 8 * 1024 * 1024;

/** Puts together the answer of an upstream that announced this content type. */
export function foldAnswer(contentType: string, listener?: Listener): AnswerFold {
  return contentType.toLowerCase().includes("event-stream") ? streamFold(listener) : jsonFold();
}

function jsonFold(): AnswerFold {
  const decoder = utf8Reader();
  let text = "";
  let outgrown = false;
  return {
    push(bytes) {
      if (outgrown) return;
      text += decoder.push(bytes);
      outgrown = text.length > maxAnswerChars;
      if (outgrown) text = "";
    },
    end: () => (outgrown ? undefined : answerIn(parseJson(text + decoder.end()))),
    close: () => undefined,
  };
}

function answerIn(completion: unknown): Answer | undefined {
  if (!isObject(completion) || isFailure(completion)) return undefined;
  const choice = firstChoice(completion);
  if (choice === undefined || !isObject(choice.message)) return undefined;
  return {
    id: idIn(completion),
    step: stepOf(choice.message),
    finishReason: stringIn(choice.finish_reason),
    usage: usageOf(completion.usage),
  };
}

function isFailure(payload: JsonObject): boolean {
  return payload.error !== undefined && payload.error !== null;
}

/** Azure's first chunk has an empty one. */
function idIn({ id }: JsonObject): string | undefined {
  return stringIn(id) || undefined;
}

/** Of several alternatives the one that agents read. */
function firstChoice(payload: JsonObject): JsonObject | undefined {
  for (const choice of arrayIn(payload.choices)) {
    if (isObject(choice) && (choice.index ?? 0) === 0) return choice;
  }
  return undefined;
}

function streamFold(listener: Listener | undefined): AnswerFold {
  const reader = sseReader(maxAnswerChars);
  const chunkIn = chunkReader();
  const answer = growingAnswer(listener);
  let state: "open" | "done" | "failed" = "open";

  function take(event: SseEvent): void {
    if (state !== "open") return;
    if (isLast(event)) {
      state = "done";
      return;
    }
    const chunk = chunkIn(event.data);
    if (chunk === undefined || event.event === "error" || isFailure(chunk)) state = "failed";
    else if (!answer.add(chunk)) state = "failed";
  }

  return {
    push(bytes) {
      if (state !== "open") return;
      const events = reader.push(bytes);
      if (events === undefined) state = "failed";
      else events.forEach(take);
    },
    end() {
      // An event without its blank line may be cut short: it counts if it is whole.
      const isWhole = (event: SseEvent) => isLast(event) || isObject(parseJson(event.data));
      reader.end().filter(isWhole).forEach(take);
      const whole = state === "failed" ? undefined : answer.whole();
      return state === "open" && whole?.finishReason === undefined ? undefined : whole;
    },
    close() {
      const closing = state === "open" ? answer.close() : undefined;
      if (closing !== undefined) state = "done";
      return closing;
    },
  };
}

/** Blanks around the mark are the server's affair, but a chunk is longer than any of them. In characters. */
const MAX_LAST = 64;

function isLast({ data }: SseEvent): boolean {
  return data.length < MAX_LAST && data.trim() === "[DONE]";
}

interface GrowingAnswer {
  /** False: it outgrew the bound. */
  add(chunk: JsonObject): boolean;
  /** Undefined as long as nothing of it has come. */
  whole(): Answer | undefined;
  /** Ends it as it stands; the events that say so. */
  close(): string | undefined;
}

function growingAnswer(listener: Listener | undefined): GrowingAnswer {
  const message = emptyMessage(listener);
  let head: JsonObject = {};
  let begun = false;
  let finishReason: string | undefined;
  let usage: Usage | undefined;
  let id: string | undefined;
  return {
    add(chunk) {
      id ??= idIn(chunk);
      if (head.id === undefined) head = headOf(chunk);
      // Some servers count in every chunk: running totals, so the last one holds.
      if (isObject(chunk.usage)) usage = usageOf(chunk.usage) ?? usage;
      const choice = firstChoice(chunk);
      if (choice === undefined) return true;
      begun = true;
      finishReason = stringIn(choice.finish_reason) ?? finishReason;
      message.add(objectIn(choice.delta));
      return message.size() <= maxAnswerChars;
    },
    whole: () => (begun ? { id, step: stepOf(message.whole()), finishReason, usage } : undefined),
    close() {
      if (!begun) return undefined;
      const choice = (delta: JsonObject, reason: string | null) => ({ index: 0, delta, finish_reason: reason });
      const deltas = finishReason === undefined ? message.closing() : [];
      const choices =
        finishReason === undefined ? [...deltas.map((delta) => choice(delta, null)), choice({}, "stop")] : [];
      deltas.forEach(message.add);
      finishReason ??= "stop";
      const chunks = choices.map((one) => JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [one] }));
      return [...chunks, "[DONE]"].map((data) => sseText({ event: undefined, data })).join("");
    },
  };
}
