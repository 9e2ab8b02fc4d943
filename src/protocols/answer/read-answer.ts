import type { Call, Outcome } from "../../step.ts";
import { joinBytes } from "../../text/bytes.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { requestWork } from "../../work.ts";
import { promptStep } from "../dialects/history.ts";
import { isStream, MAX_EVENT, type StreamEvent } from "../framing.ts";
import { closingOf } from "../json/json.ts";
import type { Answer, ArgsCompletion, Protocol, StreamDecoder, StreamPart, Usage } from "../protocol.ts";

/** Told what an answer says and does as it comes. True: no more of it is wanted, now and ever after. */
export type AnswerListener = (part: StreamPart) => boolean | undefined;

export type AnswerReader = ReturnType<typeof answerReader>;

/** The size of an answer that is kept, in bytes or characters; a longer one would hold memory as long as it streams. */
const MAX_ANSWER = 8 * 1024 * 1024;

/** @param contentType as the upstream announces its answer @param target path and query that were asked */
export function answerReader(
  format: Pick<Protocol, "decoder" | "finish">,
  contentType: string,
  listener?: AnswerListener,
  target = "",
) {
  const decoder = format.decoder(target);
  const { framing } = decoder;
  const slicer = framing.slicer(MAX_EVENT);
  const answer = assembledAnswer();
  let streams: boolean | undefined;
  let pieces: Uint8Array[] = [];
  let size = 0;
  let state: "open" | "done" | "failed" = "open";
  let isUnwanted = false;
  /** Of bytes that belong to an event which has not ended. */
  let kept = 0;
  let readTo = 0;

  function add(part: StreamPart): void {
    if (state !== "open") return;
    if (part.kind === "error") state = "failed";
    else if (part.kind === "end") state = "done";
    else answer.add(part);
    if (listener?.(part) === true) isUnwanted = true;
  }

  function take(event: StreamEvent, isEnding = false): void {
    if (state !== "open") return;
    const parts = decoder.decode(event)?.parts;
    parts?.forEach(add);
    // Without its blank line the last one may be cut short: then it is as if it had not come.
    if ((parts === undefined && !isEnding) || answer.size() > MAX_ANSWER) state = "failed";
  }

  const canBeClosed = () => streams === true && state === "open" && answer.hasBegun();

  function read(bytes: Uint8Array): void {
    if (state !== "open") return;
    let end = -kept;
    kept += bytes.length;
    readTo = 0;
    for (const slice of slicer.push(bytes)) {
      end += slice.bytes.length;
      kept -= slice.bytes.length;
      if (slice.isPiece) state = "failed";
      if (isUnwanted && canBeClosed()) continue;
      if (slice.event !== undefined) take(slice.event);
      readTo = end;
    }
  }

  function keep(bytes: Uint8Array): void {
    size += bytes.length;
    if (size > MAX_ANSWER) pieces = [];
    else pieces.push(bytes);
    if (size > MAX_ANSWER || streams === false) return;
    streams = isStream(framing, contentType, UTF8.decode(joinBytes(pieces)));
    if (streams === true) begin();
  }

  function begin(): void {
    streams = true;
    pieces.forEach(read);
    pieces = [];
  }

  return {
    isStream: () => streams ?? framing.carries(contentType),
    push: (bytes: Uint8Array) => (streams === true ? read(bytes) : keep(bytes)),
    /** Where in the latest bytes the last event ends that was read and wanted; 0 where nothing is read any more. */
    readTo: () => (state === "open" ? readTo : 0),
    /** After the last byte. Undefined: this was no complete answer (an error, a cut stream, another shape). */
    end(): Answer | undefined {
      if (streams ?? framing.carries(contentType)) begin();
      else return size > MAX_ANSWER ? undefined : wholeAnswer(decoder, UTF8.decode(joinBytes(pieces)), answer);
      const { event } = slicer.rest();
      if (event !== undefined) take(event, true);
      const whole = state === "failed" ? undefined : answer.whole();
      return state === "open" && whole?.finishReason === undefined ? undefined : whole;
    },
    /** What a stream lacks of a valid answer behind its latest whole event. Undefined where nothing of one has come. */
    close(acts?: boolean): string | undefined {
      if (!canBeClosed()) return undefined;
      const closing = format.finish(decoder.state(), answer.rests(), acts);
      for (const event of closing) take(event);
      state = "done";
      return framing.write(closing, { begins: false, ends: true });
    },
  };
}

const UTF8 = new TextDecoder();

export function wholeAnswer(decoder: StreamDecoder, json: string, answer = assembledAnswer()): Answer | undefined {
  const { parts = [] } = decoder.decode({ event: undefined, data: json }) ?? {};
  for (const part of parts) answer.add(part);
  const isWhole = parts.some(({ kind }) => kind === "finish" || kind === "end" || kind === "usage");
  return isWhole && parts.every(({ kind }) => kind !== "error") ? answer.whole() : undefined;
}

/** What an empty call costs in memory, in characters. */
const CALL_SIZE = 64;

type AssembledCall = { index: number; id: string | undefined; tool: string; args: string; outcome?: Outcome };

function assembledAnswer() {
  const calls = new Map<number, AssembledCall>();
  const texts = { text: "", refusal: "" };
  const work = requestWork();
  let size = 0;
  let start: Pick<Answer, "id" | "model"> | undefined;
  let finishReason: string | undefined;
  let usage: Usage | undefined;

  function begin({ call, index = call, id, tool }: Extract<StreamPart, { kind: "call-start" }>): void {
    const before = calls.get(call);
    if (before === undefined) {
      size += CALL_SIZE + tool.length;
      calls.set(call, { index, id, tool, args: "" });
    } else {
      before.id ??= id;
      if (tool !== "") before.tool = tool;
    }
  }

  function grow(part: Extract<StreamPart, { kind: "call-args" | "call-result" }>): void {
    const call = calls.get(part.call);
    if (call === undefined) return;
    size += part.kind === "call-args" ? part.text.length : part.outcome.text.length;
    if (part.kind === "call-args") call.args += part.text;
    else call.outcome = part.outcome;
  }

  return {
    add(part: StreamPart): void {
      if (part.kind === "start") start = { id: start?.id ?? part.id, model: start?.model ?? part.model };
      else if (part.kind === "usage") ({ usage } = part);
      else if (part.kind === "finish") finishReason = part.reason;
      else if (part.kind === "call-start") begin(part);
      else if (part.kind === "call-args" || part.kind === "call-result") grow(part);
      else if (part.kind === "text" || part.kind === "refusal") {
        texts[part.kind] += part.text;
        size += part.text.length;
      }
    },
    size: () => size,
    whole(): Answer | undefined {
      if (start === undefined) return undefined;
      const inOrder = [...calls.values()].sort((one, other) => one.index - other.index).map(wholeCall);
      const { text, refusal } = texts;
      const said = refusal === "" ? cutText(text) : text === "" ? cutText(refusal) : joinTexts([text, refusal]);
      // Spread out, each answer would be of a hidden class of its own.
      const { id, model } = start;
      return { id, model, step: promptStep(said, inOrder, work), finishReason, usage };
    },
    rests: (): readonly ArgsCompletion[] =>
      [...calls].flatMap(([call, { args }]) => {
        const text = closingOf(args);
        return text === undefined || text === "" ? [] : [{ call, text }];
      }),
    hasBegun: () => start !== undefined,
  };
}

function wholeCall({ id, tool, args: told, outcome }: AssembledCall): Call {
  const args = cutText(told);
  const call: Call = id === undefined ? { tool, args } : { id, tool, args };
  return outcome === undefined ? call : { ...call, outcome };
}
