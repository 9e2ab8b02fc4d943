import { tokensUsed, type EventReading, type Progress } from "../answers.ts";
import { callsOf, isFailure } from "../chat-completions/chat-completions.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";

export interface LineStream extends Progress {
  readonly head: JsonObject;
  readonly finished: boolean;
}

export const notBegun: LineStream = { head: {}, usage: undefined, finished: false };

const COUNTS = [
  "total_duration",
  "load_duration",
  "prompt_eval_count",
  "prompt_eval_duration",
  "eval_count",
  "eval_duration",
];

export const noCounts: JsonObject = Object.fromEntries(COUNTS.map((key) => [key, 0]));

/** What an answer has taken, tokens and nanoseconds. */
export function countsIn(answer: JsonObject): JsonObject {
  return Object.fromEntries(COUNTS.flatMap((key) => (typeof answer[key] === "number" ? [[key, answer[key]]] : [])));
}

/** Each line has a part of the message; an answer in one piece is one line. */
export function reading(from: LineStream): EventReading<LineStream> {
  let { head, usage } = from;
  let begun = false;
  let finished = false;
  let calls = 0;

  function partsOf(line: JsonObject): readonly StreamPart[] {
    const message = objectIn(line.message);
    const { model, created_at } = line;
    head = { model, created_at };
    const begins = !begun && isObject(line.message);
    const parts: StreamPart[] = begins ? [{ kind: "start", id: undefined, model: nonEmpty(model) }] : [];
    begun ||= begins;
    const [thought, text] = [nonEmpty(message.thinking), nonEmpty(message.content)];
    if (thought !== undefined) parts.push({ kind: "reasoning", text: thought });
    if (text !== undefined) parts.push({ kind: "text", text });
    // Calls come whole.
    for (const { id, tool, args } of callsOf(message)) {
      parts.push({ kind: "call-start", call: calls, id, tool });
      if (args !== "") parts.push({ kind: "call-args", call: calls, text: args });
      calls++;
    }
    return line.done === true ? [...parts, ...ending(line)] : parts;
  }

  function ending(line: JsonObject): readonly StreamPart[] {
    finished = true;
    usage = countsIn(line);
    const counted = tokensUsed(line.prompt_eval_count, line.eval_count, undefined);
    const reason = stringIn(line.done_reason) ?? "stop";
    return [
      ...(counted === undefined ? [] : [{ kind: "usage" as const, usage: counted }]),
      { kind: "finish", reason },
      { kind: "end" },
    ];
  }

  return {
    take: (line) => (isFailure(line) ? [{ kind: "error" }] : partsOf(line)),
    progress: () => ({ head, usage, finished }),
  };
}
