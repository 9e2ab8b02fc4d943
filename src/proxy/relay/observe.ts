import { joinBytes } from "../../text/bytes.ts";
import type { Runaway } from "../../runaway/runaway.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { Answer, AnswerListener, AnswerReader, Protocol } from "../../protocols/protocols.ts";
import type { AnswerSink, Fields } from "../../transport/transport.ts";

/** An answer that is passed on, and can be ended from outside. */
export interface ObservedSink extends AnswerSink {
  /** Ends it validly where it stands, if it has begun and can be ended well; else it fails. */
  endNow(reason: unknown): void;
}

/** Looks out for an answer that repeats itself. */
export interface RunawayWatch {
  readonly listener: AnswerListener;
  runaway(): Runaway | undefined;
  /** The rest of the answer is not wanted any more. Undefined: it is, whatever is found. */
  readonly stop: (() => void) | undefined;
}

/** Readers beside an answer as it goes by. Neither may throw. */
export interface AnswerTaps {
  readonly tap: AnswerTap;
  readonly runaway?: RunawayWatch | undefined;
  /** The event that tells why a stream ends here; undefined where it has to break off, as the upstream's did. */
  readonly errorEvent?: (reason: unknown) => string | undefined;
}

/**
 * Passes an answer on at once and untouched, and shows it to a reader beside that; ends it where it has run away.
 * `done` is called once, after the end or the failure; of an end, behind what else this tick does.
 */
export function observe(
  sink: AnswerSink,
  { tap, runaway, errorEvent = () => undefined }: AnswerTaps,
  done: (observed: Observed) => void,
): ObservedSink {
  let status = 0;
  let watching: AnswerReader | undefined;
  let over = false;
  let last: Uint8Array | undefined;
  /** Its reader counts on so many bytes, so it cannot end otherwise. */
  let hasLength = false;

  const finish = (answer: Answer | undefined, runaway: Runaway | undefined, failure?: unknown, contained?: true) => {
    over = true;
    watching = undefined;
    done({ status, answer, failure, runaway, ...(contained && { contained }) });
  };

  /** What should have been cut off by a guard that does so. */
  const noted = () => (runaway?.stop === undefined ? runaway?.runaway() : undefined);

  const isBetweenEvents = () => last === undefined || watching?.readTo() === last.length;

  function endWith(events: string): void {
    void sink.write(new TextEncoder().encode(events));
    sink.end();
  }

  /** Undefined: it cannot be ended well here, so it goes on. */
  function cutOff(cut: Runaway, bytes: Uint8Array): "cut" | undefined {
    const end = watching?.readTo();
    const closing = hasLength ? undefined : watching?.close(cut.calls !== undefined);
    if (closing === undefined) return undefined;
    const answer = watching?.end();
    void sink.write(joinBytes([bytes.subarray(0, end), new TextEncoder().encode(closing)]));
    sink.end();
    finish(answer, cut);
    runaway?.stop?.();
    return "cut";
  }

  return {
    head(newStatus, fields) {
      if (over) return;
      status = newStatus;
      if (isReadable(status, fields)) watching = tap(String(fields["content-type"] ?? ""), runaway?.listener);
      const sent = watching?.framing === undefined ? fields : withoutLength(fields);
      hasLength = sent["content-length"] !== undefined;
      sink.head(status, sent);
    },
    write(bytes) {
      if (over) return undefined;
      last = bytes;
      if (runaway === undefined) {
        const ready = sink.write(bytes);
        watching?.push(bytes);
        return ready;
      }
      watching?.push(bytes);
      const cut = runaway.runaway();
      if (cut !== undefined && runaway.stop !== undefined && cutOff(cut, bytes) === "cut") return undefined;
      return sink.write(bytes);
    },
    end() {
      if (over) return;
      over = true;
      sink.end();
      // A platform writes the last bytes at the end of its tick, and reading the answer would come before that.
      void Promise.resolve().then(() => finish(watching?.end(), noted()));
    },
    fail(reason) {
      if (over) return;
      const event = watching?.framing && errorEvent(reason);
      if (event === undefined) sink.fail(reason);
      else endWith(isBetweenEvents() ? event : `\n\n${event}`);
      finish(undefined, noted(), reason);
    },
    endNow(reason) {
      if (over || status === 0) return;
      // In the middle of an event nothing can be added that a client could read.
      const closing = isBetweenEvents() && !hasLength ? watching?.close() : undefined;
      if (closing === undefined) sink.fail(reason);
      else endWith(closing);
      finish(closing === undefined ? undefined : watching?.end(), undefined, reason, true);
    },
  };
}

/** Answers that failed are not looked at, nor are those in a coding. */
export function isReadable(status: number, fields: Fields): boolean {
  const coding = fields["content-encoding"];
  return status >= 200 && status < 300 && (coding === undefined || coding === "identity");
}

export function withoutLength(fields: Fields): Fields {
  // The copy is dear, and streams mostly have none.
  if (fields["content-length"] === undefined) return fields;
  const { "content-length": _, ...others } = fields;
  return others;
}

/** More of an answer passes as it is. In bytes. */
const MAX_KEPT = 1024 * 1024;

/** A reader that gets another text in the place of the answer's own, which has to be whole before that is known. */
export function retoldTo(
  reader: AnswerSink,
  { protocol, target }: { readonly protocol: Protocol; readonly target: string },
  change: (text: string) => string,
): AnswerSink {
  let contentType: string | undefined;
  let kept: Uint8Array[] = [];
  let size = 0;
  const release = (bytes: Uint8Array): Promise<void> | undefined => {
    kept = [];
    contentType = undefined;
    return bytes.length === 0 ? undefined : reader.write(bytes);
  };
  return {
    ...reader,
    head(status, fields) {
      if (isReadable(status, fields)) contentType = String(fields["content-type"] ?? "");
      reader.head(status, contentType === undefined ? fields : withoutLength(fields));
    },
    write(bytes) {
      if (contentType === undefined) return reader.write(bytes);
      kept.push(bytes);
      size += bytes.length;
      return size > MAX_KEPT ? release(joinBytes(kept)) : undefined;
    },
    end() {
      if (contentType !== undefined) void release(protocol.retold(joinBytes(kept), { contentType, target }, change));
      reader.end();
    },
    fail(reason) {
      void release(joinBytes(kept));
      reader.fail(reason);
    },
  };
}
