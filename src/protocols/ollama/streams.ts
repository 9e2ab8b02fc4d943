import type { ContinuedText } from "../answer/continued-text.ts";
import { sum } from "../answer/sum-usage.ts";
import { callsOf } from "../chat-completions/chat-completions.ts";
import type { StreamEvent } from "../framing.ts";
import { type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import type { StreamContinuation, StreamFormat, StreamReading } from "../wire-format.ts";
import { countsIn, hasFailed, reasonIn, usageOf } from "./answer.ts";

/** How far a stream of lines has come. */
interface LineStream {
  /** What each of its lines repeats. */
  readonly head: JsonObject;
  /** As the wire tells them. */
  readonly counts: JsonObject;
  readonly finished: boolean;
}

const notBegun: LineStream = { head: {}, counts: {}, finished: false };

export const streams: StreamFormat<LineStream> = {
  endMark: undefined,
  notBegun,
  // Each line has a time of its own, so none is like the one before.
  reading,
  resume,
  finish,
};

function reading(from: LineStream): StreamReading<LineStream> {
  let { head, counts } = from;
  let begun = false;
  let finished = false;
  let calls = 0;

  function partsOf(line: JsonObject): readonly StreamPart[] {
    const message = objectIn(line.message);
    const { model, created_at } = line;
    head = { model, created_at };
    const parts: StreamPart[] = begun ? [] : [{ kind: "start", id: undefined, model: nonEmpty(model) }];
    begun = true;
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
    counts = countsIn(line);
    const usage = usageOf(line);
    const counted: readonly StreamPart[] = usage === undefined ? [] : [{ kind: "usage", usage }];
    return [...counted, { kind: "finish", reason: reasonIn(line) }, { kind: "end" }];
  }

  return {
    take: (line) => (hasFailed(line) ? ERROR : partsOf(line)),
    progress: () => ({ head, counts, finished }),
  };
}

const ERROR: readonly StreamPart[] = [{ kind: "error" }];

/** All counts stand in the last line. */
function resume(
  first: LineStream | undefined,
  used: LineStream | undefined,
  words: ContinuedText,
): StreamContinuation<LineStream> {
  const { counts } = used ?? notBegun;

  function encode(line: JsonObject): readonly StreamEvent[] | undefined {
    const message = objectIn(line.message);
    const content = stringIn(message.content) ?? "";
    const isOver = message.tool_calls !== undefined || line.done === true;
    const said = words.add(content) + (isOver ? words.end() : "");
    const isLast = line.done === true && Object.keys(counts).length > 0;
    if (said === content && !isLast) return undefined;
    const json = jsonText({
      ...line,
      ...(said !== content && { message: { ...message, content: said } }),
      ...(isLast && sum(counts, countsIn(line))),
    });
    return json === undefined ? undefined : [{ event: undefined, data: json }];
  }

  return { from: { ...(first ?? notBegun), counts }, encode };
}

/** Says that it is done, if it has not. */
function finish({ head, counts, finished }: LineStream): readonly StreamEvent[] {
  const last = { ...head, message: { role: "assistant", content: "" }, done: true, done_reason: "stop", ...counts };
  return finished ? [] : [{ event: undefined, data: JSON.stringify(last) }];
}
