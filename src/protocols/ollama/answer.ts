import { type EventReading, type Progress, countsOf, usageReader } from "../answers.ts";
import { callsOf, isFailure } from "../chat-completions/chat-completions.ts";
import { isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";

export interface LineStream extends Progress {
  readonly head: JsonObject;
  readonly finished: boolean;
}

export const notBegun: LineStream = { head: {}, usage: undefined, finished: false };

export const COUNTS =
  "total_duration load_duration prompt_eval_count prompt_eval_duration eval_count eval_duration".split(" ");

const countTokens = usageReader({ input: ["prompt_eval_count"], output: ["eval_count"] });

/** Each line has a part of the message; an answer in one piece is one line. */
export function reading(from: LineStream): EventReading<LineStream> {
  let { head, usage } = from;
  let begun = false;
  let finished = false;
  let calls = 0;

  function partsOf(line: JsonObject): readonly StreamPart[] {
    const message = objectIn(line.message);
    const { model, created_at } = line;
    const parts: StreamPart[] = [];
    head = { model, created_at };
    if (!begun && isObject(line.message)) {
      begun = true;
      parts.push({ kind: "start", id: undefined, model: nonEmpty(model) });
    }
    const [thought, text] = [nonEmpty(message.thinking), nonEmpty(message.content)];
    if (thought !== undefined) parts.push({ kind: "reasoning", text: thought });
    if (text !== undefined) parts.push({ kind: "text", text });
    for (const { id, tool, args } of message.tool_calls === undefined ? [] : callsOf(message)) {
      parts.push({ kind: "call-start", call: calls, id, tool });
      if (args !== "") parts.push({ kind: "call-args", call: calls, text: args });
      calls++;
    }
    if (line.done !== true) return parts;
    finished = true;
    usage = countsOf({ usage: COUNTS }, line);
    const reason = stringIn(line.done_reason) ?? "stop";
    return [...parts, ...countTokens(line), { kind: "finish", reason }, { kind: "end" }];
  }

  return {
    take: (line) => (isFailure(line) ? [{ kind: "error" }] : partsOf(line)),
    progress: () => ({ head, usage, finished }),
  };
}
