import type { Context } from "hono";
import { baseRoutePath } from "hono/route";
import { UnloopError } from "../errors.ts";
import { joinBytes } from "../text/bytes.ts";

/** Silence of an upstream, before its answer or within it: longer than any API or SDK waits. */
export const AN_HOUR_MS = 3_600_000;

/** Of a request's or an answer's header, in bytes. Node's own limit is 16 KB, less than cookies and long queries take. */
export const MAX_HEADER = 128 * 1024;

/** By lower-case name. A field that came several times and may not be joined is an array. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The same fields where they have none of these: a copy is dear. */
export function withoutFields(fields: Fields, ...names: readonly string[]): Fields {
  if (names.every((name) => fields[name] === undefined)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

export interface AnswerSink {
  head(status: number, fields: Fields): void;
  write(bytes: Uint8Array): Promise<void> | undefined;
  end(): void;
  /** The answer broke off: its reader must see an abort, never a clean end. Before the head, another head may still follow. */
  fail(reason: unknown): void;
  /** The upstream has taken the upgrade, and this is its side of the connection. Undefined: there are no upgrades here. */
  readonly tunnel?: ((fields: Fields, upstream: unknown) => void) | undefined;
  /** Fields of answers that are not the upstream's: for a page of another origin to read them. */
  readonly ownFields?: (() => Fields) | undefined;
}

export interface Exchange extends Incoming {
  readonly answer: AnswerSink;
}

export interface Incoming {
  readonly method: string;
  /** Path and query behind the mount point, as they came; begins with a slash. */
  readonly target: string;
  /** What stands in front of the target in the client's URL; "" without it. */
  readonly mount?: string;
  readonly fields: Fields;
  /** Of the other end, where the platform knows it. */
  readonly address?: string | undefined;
  /** Aborted, with an UnloopError `client_gone`, when the client hangs up before the answer's end. */
  readonly gone: Signal;
  /** The whole body; a stream of it where it is more than is to be read. @throws UnloopError `body_too_large`, `client_gone` */
  body(limits: BodyLimits): Promise<Uint8Array | BodyStream>;
  /** For requests that are passed through unread. Undefined if there is no body. */
  stream(): BodyStream | undefined;
}

/** How much of a request's body is taken, in bytes: more than `maxBytes` is refused, more than `readBytes` is not held. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly readBytes: number;
  /** Told of what is held: `take` of each piece, for which there is room or not (false), and `give` of what has gone. */
  readonly hold?: { take(bytes: number): boolean; give(bytes: number): void } | undefined;
}

/** A body, read as far as its limits let it; beyond that a stream of all of it. @throws UnloopError `body_too_large`, why the client is gone */
export async function takeBody(
  pieces: BodyStream,
  declared: number,
  limits: BodyLimits,
  gone: Pick<Signal, "aborted" | "reason">,
): Promise<Uint8Array | BodyStream> {
  const { maxBytes, readBytes, hold } = limits;
  const tooLarge = () => new UnloopError("body_too_large", `The request body is larger than ${maxBytes} bytes.`);
  if (declared > maxBytes) throw tooLarge();
  if (declared > readBytes) return pieces;
  const left = pieces[Symbol.asyncIterator]();
  const begun: Uint8Array[] = [];
  try {
    for (let size = 0, next = await left.next(); next.done !== true; next = await left.next()) {
      size += next.value.byteLength;
      if (size > maxBytes) {
        await left.return?.();
        throw tooLarge();
      }
      begun.push(next.value);
      if (size > readBytes || hold?.take(next.value.byteLength) === false) return restOf(begun, left, limits, tooLarge);
    }
  } catch (error) {
    throw gone.aborted ? gone.reason : error;
  }
  return joinBytes(begun);
}

/** A body of which the beginning has been read; each piece of that is let go of when it has been sent. */
async function* restOf(
  begun: Uint8Array[],
  left: AsyncIterator<Uint8Array>,
  { maxBytes, hold }: BodyLimits,
  tooLarge: () => UnloopError,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for (let piece = begun.shift(); piece !== undefined; piece = begun.shift()) {
      size += piece.byteLength;
      yield piece;
      hold?.give(piece.byteLength);
    }
    for (let next = await left.next(); next.done !== true; next = await left.next()) {
      size += next.value.byteLength;
      if (size > maxBytes) throw tooLarge();
      yield next.value;
    }
  } finally {
    await left.return?.();
  }
}

/** A request body as it comes; to be read once. */
export type BodyStream = AsyncIterable<Uint8Array>;

export interface UpstreamRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query, verbatim: a URL object would rewrite them. Begins with a slash. */
  readonly path: string;
  readonly fields: Fields;
  readonly body: Uint8Array | BodyStream | undefined;
  /** Aborting ends the upstream request at once, whatever its state. */
  readonly signal: Signal;
  /** Asks to go on in this protocol, by the sink's `tunnel`. */
  readonly upgrade?: "websocket" | undefined;
  readonly sent?: (() => void) | undefined;
}

/** Where it gives no answer, its client gets a bare 500. */
export type RunExchange = (exchange: Exchange) => Promise<void>;

/** Moves the bytes of requests and answers, the one thing that differs between platforms. */
export interface Transport {
  /** Hands the exchange behind a Hono context to `run`, and gives Hono what it wants back. */
  accept(context: Context, run: RunExchange): Promise<Response>;
  /**
   * Sends a request upstream and its answer to `sink`. Resolves after `end()` or `fail()`. The sink is untouched where it throws:
   * @throws UnloopError `upstream_unreachable` or `upstream_timeout` when no head ever came; why the signal was aborted before
   */
  send(request: UpstreamRequest, sink: AnswerSink): Promise<void>;
  /** Undoes `gzip`, `deflate`, `deflate-raw`, `br`, `zstd`. Undefined where the platform does not know it, or the bytes are not of it, or of more than `most`. */
  decode?(coding: string, bytes: Uint8Array, most: number): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

export function clientGone(): UnloopError {
  return new UnloopError("client_gone", "The client hung up before its answer was complete.");
}

/** The body was taken by what stands in front of the guard, which must not send another one in its place. */
export function readBefore(): UnloopError {
  return new UnloopError("body_read_before", "The request's body was read before Unloop could read it.");
}

/** The part of AbortSignal that an exchange uses. A real one fits; making one per exchange, and joining two, is half the cost of a pass-through. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Only the first `abort` counts. @param earlier aborts this one too */
export function abortable(earlier?: Signal): Signal & { abort(reason: unknown): void } {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: "abort", listener: () => void) => void listeners.delete(listener),
    abort(reason: unknown) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
  if (earlier?.aborted === true) signal.abort(earlier.reason);
  else earlier?.addEventListener("abort", () => signal.abort(earlier.reason));
  return signal;
}

/** The path and query of a request target, in origin form or absolute form, behind the mount point of the app that `context` belongs to. */
export function targetBehindMount(context: Context, requested: string): string {
  const mounted = baseRoutePath(context).split("/");
  let rest = originForm(requested);
  // Counted, not compared: the router matches the decoded path, but the target stays as it came, `%6Clm` for `llm`.
  for (const segment of mounted) if (segment !== "") rest = rest.replace(/^\/[^/?#]*/, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

export function originForm(requested: string): string {
  if (requested.startsWith("/")) return requested;
  const target = requested.replace(/^https?:\/\/[^/?#]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

export function mountOf(requested: string, target: string): string {
  if (requested.endsWith(target)) return requested.slice(0, requested.length - target.length);
  return requested.split("?", 1)[0] ?? "";
}

/** A stream whose reader may be slower than what is written into it. @param left called when the reader wants no more */
export function pushStream<Piece>(left: () => void, strategy?: QueuingStrategy<Piece>) {
  let ready: Promise<void> | undefined;
  let wake = () => {};
  let over = false;
  let to: ReadableStreamDefaultController<Piece> | undefined;
  const finish = (act: () => void) => {
    if (!over) act();
    over = true;
    wake();
  };
  const source: UnderlyingDefaultSource<Piece> = {
    start(controller) {
      to = controller;
    },
    pull: () => wake(),
    cancel: () => finish(left),
  };
  return {
    readable: new ReadableStream(source, strategy),
    /** A promise means: wait for it before the next piece. */
    write(piece: Piece): Promise<void> | undefined {
      if (over) return undefined;
      to?.enqueue(piece);
      if ((to?.desiredSize ?? 1) > 0) return undefined;
      ready ??= new Promise((resolve) => {
        wake = () => {
          ready = undefined;
          resolve();
        };
      });
      return ready;
    },
    end: () => finish(() => to?.close()),
    fail: (reason: unknown) => finish(() => to?.error(reason)),
  };
}
