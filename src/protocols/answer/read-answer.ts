import { utf8Reader } from "../../sse/sse.ts";
import type { Framing, StreamEvent } from "../framing.ts";
import type { Answer, Protocol, StreamDecoder, StreamPart } from "../protocol.ts";
import { assembledAnswer } from "./assemble.ts";

/** Told what an answer says and does as it comes. True: no more of it is wanted, now and ever after. */
export type AnswerListener = (part: StreamPart) => boolean | undefined;

/** Reads an answer from its bytes, in whatever pieces they come. */
export interface AnswerReader {
  /** Undefined where the answer is no stream. */
  readonly framing: Framing | undefined;
  push(bytes: Uint8Array): void;
  /**
   * Events that the latest bytes completed and that were not read: those behind the one at which no more was wanted of an
   * answer that can be closed there.
   */
  unread(): number;
  /**
   * Ends a stream behind its latest whole event, whatever else has come or comes of it. Gives what it then lacks of a
   * valid answer: begun arguments closed, a finish, an end. Undefined where there is no stream, or nothing of it yet.
   * @param acts its calls are whole and to be carried out
   */
  close(acts?: boolean): string | undefined;
  /** After the last byte. Undefined: this was no complete answer (an error, a cut stream, another shape). */
  end(): Answer | undefined;
}

/** What a reader needs of a format. */
type Format = Pick<Protocol, "framing" | "readAnswer" | "decoder" | "finish">;

/** Characters of an answer that are kept; a longer one is given up, for it would hold memory as long as it streams. */
const MAX_ANSWER = 8 * 1024 * 1024;

/** For the answer of an upstream that announced this content type. @param target path and query that were asked */
export function answerReader(
  format: Format,
  contentType: string,
  listener?: AnswerListener,
  target = "",
): AnswerReader {
  const framing = format.framing(target);
  return framing.carries(contentType) ? streamReader(format, format.decoder(target), listener) : jsonReader(format);
}

function jsonReader({ readAnswer }: Format): AnswerReader {
  const decoder = utf8Reader();
  let text = "";
  let outgrown = false;
  return {
    framing: undefined,
    push(bytes) {
      if (outgrown) return;
      text += decoder.push(bytes);
      outgrown = text.length > MAX_ANSWER;
      if (outgrown) text = "";
    },
    end: () => (outgrown ? undefined : readAnswer(text + decoder.end())),
    unread: () => 0,
    close: () => undefined,
  };
}

function streamReader(format: Format, decoder: StreamDecoder, listener: AnswerListener | undefined): AnswerReader {
  const { framing } = decoder;
  const events = framing.scanner(MAX_ANSWER, takeWanted);
  const answer = assembledAnswer();
  let state: "open" | "done" | "failed" = "open";
  let isUnwanted = false;
  let unread = 0;
  let isEnding = false;

  function add(part: StreamPart): void {
    if (state !== "open") return;
    if (part.kind === "error") state = "failed";
    else if (part.kind === "end") state = "done";
    else answer.add(part);
    if (listener?.(part) === true) isUnwanted = true;
  }

  function take(event: StreamEvent): void {
    if (state !== "open") return;
    const parts = decoder.decode(event);
    if (parts === undefined) state = "failed";
    else for (const part of parts) add(part);
    if (answer.size() > MAX_ANSWER) state = "failed";
  }

  function takeLast(event: StreamEvent): void {
    // Without its blank line it may be cut short: then it is as if it had not come.
    for (const part of state === "open" ? (decoder.decode(event) ?? []) : []) add(part);
  }

  const canBeClosed = () => state === "open" && answer.hasBegun();

  function takeWanted(event: StreamEvent): void {
    if (isUnwanted && canBeClosed()) unread++;
    else if (isEnding) takeLast(event);
    else take(event);
  }

  return {
    framing,
    push(bytes) {
      if (state !== "open") return;
      unread = 0;
      if (!events.push(bytes)) state = "failed";
    },
    unread: () => unread,
    end() {
      isEnding = true;
      events.end();
      const whole = state === "failed" ? undefined : answer.whole();
      return state === "open" && whole?.finishReason === undefined ? undefined : whole;
    },
    close(acts) {
      if (!canBeClosed()) return undefined;
      const closing = format.finish(decoder.state(), answer.rests(), acts);
      closing.forEach(take);
      state = "done";
      return framing.write(closing, { begins: false, ends: true });
    },
  };
}
