import type { Mode } from "../../config/config.ts";
import type { UnloopError } from "../../errors.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { type AnswerListener, type AnswerReader, answerReader, type Protocol } from "../../protocols/protocols.ts";
import { callFlood, FLOOD_LAPS, type Runaway, runawayScanner } from "../../runaway/runaway.ts";
import { BoundedMap } from "../../text/bounded-map.ts";
import { joinBytes } from "../../text/bytes.ts";
import { abortable, type AnswerSink, type Exchange, type Fields, withoutFields } from "../../transport/transport.ts";
import { type Destination, forward, type Forwarding } from "./forward.ts";

interface ReadingTerms {
  /** Neither it nor its reader may throw. */
  readonly tap: AnswerTap;
  /** An answer of such a status is dropped at its head. */
  readonly isUnwanted?: ((status: number) => boolean) | undefined;
  /** The event that tells why a stream ends here; undefined where it has to break off, as the upstream's did. */
  readonly errorEvent?: (reason: unknown) => string | undefined;
  readonly runaway?: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode?: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained?: ((end: (reason: UnloopError) => void) => () => void) | undefined;
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(
  exchange: Exchange,
  forwarding: Omit<Forwarding, "answer" | "signal">,
  reader: AnswerSink,
  terms: ReadingTerms,
): Promise<Observed> {
  const stopping = abortable(exchange.gone);
  const answer = observe(reader, terms, () => stopping.abort(new Error("The rest of the answer is not wanted.")));
  const unwatch = terms.whenContained?.((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  try {
    await forward(exchange, { answer, signal: stopping, ...forwarding });
  } finally {
    unwatch?.();
  }
  // Behind what else the tick of the answer's end does: a platform writes the last bytes then.
  return answer.observed();
}

/** Of the answer to a question of the guard's own. In bytes. */
const MAX_ANSWER = 256 * 1024;

/** One question of the guard's own, and how its answer went by. Rejects as `forward` does, also when its time is over. */
export function askQuestion(
  { target, body, protocol }: { readonly target: string; readonly body: string; readonly protocol: Protocol },
  fields: Fields,
  timeoutMs: number,
  destination: Destination,
): Promise<Observed> {
  const bytes = new TextEncoder().encode(body);
  const gone = abortable(AbortSignal.timeout(timeoutMs));
  let left = MAX_ANSWER;
  const write = (piece: Uint8Array) => {
    left -= piece.byteLength;
    if (left < 0) gone.abort(new Error("The judge says too much."));
    return undefined;
  };
  const answer: AnswerSink = { ...NOWHERE, write };
  const own = { "content-type": "application/json", accept: "application/json" };
  const asked = { ...withoutFields(fields, "idempotency-key", "content-length", "content-encoding"), ...own };
  const request = { method: "POST", target, fields: asked, gone, body: async () => bytes, stream: () => undefined };
  const tap: AnswerTap = (contentType) => answerReader(protocol, contentType, undefined, target);
  return askUpstream({ ...request, answer }, { ...destination, body: bytes, readable: true }, answer, { tap });
}

const NOWHERE: AnswerSink = {
  head: () => undefined,
  write: () => undefined,
  end: () => undefined,
  fail: () => undefined,
};

/** Passes an answer on untouched, and reads it meanwhile; ends it where it has run away, or from outside by `endNow`. */
export function observe(
  reader: AnswerSink,
  { tap, runaway: limits, mode, isUnwanted, errorEvent }: ReadingTerms,
  stop = () => {},
): AnswerSink & { endNow(reason: unknown): void; observed(): Observed } {
  const runaway = limits && runawayWatch(limits, mode === "enforce");
  let sink = reader;
  let status = 0;
  let watching: AnswerReader | undefined;
  let over = false;
  let observed: Observed | undefined;
  let last: Uint8Array | undefined;
  /** Its reader counts on so many bytes, so it cannot end otherwise. */
  let hasLength = false;

  const finish = (how: Partial<Observed>) => {
    over = true;
    observed = { status, answer: undefined, ...how };
  };
  /** What should have been cut off by a guard that does so. */
  const noted = () => (runaway?.cuts === false ? runaway.runaway() : undefined);
  const isBetweenEvents = () => last === undefined || watching?.readTo() === last.length;
  const closing = (acts?: boolean) => (hasLength ? undefined : watching?.close(acts));

  function endWith(events: string, before: Uint8Array = new Uint8Array()): void {
    void sink.write(joinBytes([before, new TextEncoder().encode(events)]));
    sink.end();
  }

  return {
    head(newStatus, fields) {
      if (over) return;
      status = newStatus;
      if (isUnwanted?.(status)) {
        sink = NOWHERE;
        stop();
      }
      if (isReadable(status, fields)) watching = tap(String(fields["content-type"] ?? ""), runaway?.listener);
      const sent = watching?.isStream() ? withoutLength(fields) : fields;
      hasLength = sent["content-length"] !== undefined;
      sink.head(status, sent);
    },
    write(bytes) {
      if (over) return undefined;
      last = bytes;
      watching?.push(bytes);
      const cut = runaway?.cuts ? runaway.runaway() : undefined;
      const end = watching?.readTo();
      const events = cut && closing(cut.calls !== undefined);
      // Where it cannot be ended well, it goes on.
      if (events === undefined) return sink.write(bytes);
      const answer = watching?.end();
      endWith(events, bytes.subarray(0, end));
      finish({ answer, runaway: cut });
      stop();
      return undefined;
    },
    end() {
      if (!over) sink.end();
      over = true;
    },
    fail(reason) {
      if (over) return;
      const event = watching?.isStream() ? errorEvent?.(reason) : undefined;
      if (event === undefined) sink.fail(reason);
      else endWith(isBetweenEvents() ? event : `\n\n${event}`);
      finish({ failure: reason, runaway: noted() });
    },
    endNow(reason) {
      if (over || status === 0) return;
      // In the middle of an event nothing can be added that a client could read.
      const events = isBetweenEvents() ? closing() : undefined;
      if (events === undefined) sink.fail(reason);
      else endWith(events);
      finish({ answer: events === undefined ? undefined : watching?.end(), failure: reason, contained: true });
    },
    observed: () => (observed ??= { status, answer: over ? watching?.end() : undefined, runaway: noted() }),
  };
}

/** Texts of one answer that are watched at a time, the newest ones: a stream of nothing but calls must not hold memory for each. */
const MAX_TEXTS = 16;

/** Scans each of an answer's texts for itself (its content, its reasoning, the arguments of each call), and counts its calls. */
function runawayWatch(terms: RunawayTerms, cuts: boolean) {
  const scanners = new BoundedMap<string, ReturnType<typeof runawayScanner> | string>(MAX_TEXTS);
  const flood = callFlood();
  let runaway: Runaway | undefined;

  function scan(name: string, text: string): Runaway | undefined {
    const known = scanners.get(name) ?? "";
    const said = typeof known === "string" ? known + text : text;
    // What is shorter is none, and there may be thousands of calls.
    const isBrief = typeof known === "string" && said.length < terms.leastChars;
    const scanner = typeof known !== "string" ? known : isBrief ? said : runawayScanner(terms);
    scanners.set(name, scanner);
    return typeof scanner === "string" ? undefined : scanner.push(said);
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

/** Servers also say `none` or `utf-8`, so that nothing on the way compresses a stream. */
const CODED = /gzip|deflate|br\b|zstd|compress|dc[bz]\b/i;

/** Answers that failed are not looked at, nor are those in a coding. */
export function isReadable(status: number, { "content-encoding": coding }: Fields): boolean {
  return status >= 200 && status < 300 && (coding === undefined || !CODED.test(String(coding)));
}

export const withoutLength = (fields: Fields): Fields => withoutFields(fields, "content-length");
