import { joinBytes } from "../../text/bytes.ts";
import { callFlood, FLOOD_LAPS, type Runaway, runawayScanner } from "../../runaway/runaway.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { BoundedMap } from "../../text/bounded-map.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { Answer, AnswerListener, AnswerReader, Protocol } from "../../protocols/protocols.ts";
import type { AnswerSink, Fields } from "../../transport/transport.ts";

/** An answer that is passed on, and can be ended from outside. */
export interface ObservedSink extends AnswerSink {
  /** Ends it validly where it stands, if it has begun and can be ended well; else it fails. */
  endNow(reason: unknown): void;
}

/** Readers beside an answer as it goes by. Neither may throw. */
export interface AnswerTaps {
  readonly tap: AnswerTap;
  /** Looks out for an answer that repeats itself. */
  readonly runaway?: ReturnType<typeof runawayWatch> | undefined;
  /** The rest of the answer is not wanted any more. */
  readonly stop?: () => void;
  /** An answer of such a status is dropped at its head; undefined: none is. */
  readonly isUnwanted?: ((status: number) => boolean) | undefined;
  /** The event that tells why a stream ends here; undefined where it has to break off, as the upstream's did. */
  readonly errorEvent?: (reason: unknown) => string | undefined;
}

/**
 * Passes an answer on at once and untouched, and shows it to a reader beside that; ends it where it has run away.
 * `done` is called once, after the end or the failure; of an end, behind what else this tick does.
 */
export function observe(
  reader: AnswerSink,
  { tap, runaway, stop, isUnwanted, errorEvent = () => undefined }: AnswerTaps,
  done: (observed: Observed) => void,
): ObservedSink {
  let sink = reader;
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
  const noted = () => (runaway?.cuts === false ? runaway.runaway() : undefined);

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
    stop?.();
    return "cut";
  }

  return {
    head(newStatus, fields) {
      if (over) return;
      status = newStatus;
      if (isUnwanted?.(status)) {
        sink = NOWHERE;
        stop?.();
      }
      if (isReadable(status, fields)) watching = tap(String(fields["content-type"] ?? ""), runaway?.listener);
      const sent = watching?.isStream() ? withoutLength(fields) : fields;
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
      if (cut !== undefined && runaway.cuts && cutOff(cut, bytes) === "cut") return undefined;
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
      const event = watching?.isStream() ? errorEvent(reason) : undefined;
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

/** Texts of one answer that are watched at a time, the newest ones: a stream of nothing but calls must not hold memory for each. */
const MAX_TEXTS = 16;

/**
 * Scans each of an answer's texts for itself (its content, its reasoning, the arguments of each call), and counts its calls.
 * @param cuts an answer is to be cut off for it
 */
export function runawayWatch(terms: RunawayTerms, cuts: boolean) {
  const scanners = new BoundedMap<string, ReturnType<typeof runawayScanner>>(MAX_TEXTS);
  const flood = callFlood();
  let runaway: Runaway | undefined;

  function scan(name: string, text: string): Runaway | undefined {
    let scanner = scanners.get(name);
    if (scanner === undefined) {
      scanner = runawayScanner(terms);
      scanners.set(name, scanner);
    }
    return scanner.push(text);
  }

  function found(part: Parameters<AnswerListener>[0]): Runaway | undefined {
    if (part.kind === "text" || part.kind === "reasoning") return scan(part.kind, part.text);
    const isFlood =
      part.kind === "call-start"
        ? flood.begin(part.call, part.tool)
        : part.kind === "call-args" && flood.grow(part.call, part.text);
    if (isFlood) return { laps: FLOOD_LAPS, blockTokens: 0, chars: 0, calls: flood.calls() };
    return part.kind === "call-args" ? scan(`call ${part.call}`, part.text) : undefined;
  }

  return {
    listener(part: Parameters<AnswerListener>[0]) {
      runaway ??= found(part);
      return runaway !== undefined && cuts;
    },
    runaway: () => runaway,
    cuts,
  };
}

const NOWHERE: AnswerSink = {
  head: () => undefined,
  write: () => undefined,
  end: () => undefined,
  fail: () => undefined,
};

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
