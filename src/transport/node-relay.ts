import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { type ErrorCode, UnloopError } from "../errors.ts";
import { toPairs } from "./web-send.ts";
import type { AnswerSink, UpstreamRequest } from "./transport.ts";

/** So many requests to one upstream at a time; beyond that they wait. Gives what gives the place back. @throws UnloopError `upstream_busy` */
export type TakePlace = (request: Pick<UpstreamRequest, "origin" | "body">) => Promise<() => void>;

export function upstreamPlaces(most: number, waitMs: number): TakePlace {
  const upstreams = new Map<string, { taken: number; readonly waiting: Set<() => void> }>();
  return async ({ origin, body }) => {
    // A body that is still arriving holds its place for as long as its client likes; a whole one does not.
    const isWhole = body === undefined || body instanceof Uint8Array;
    const name = `${isWhole ? "whole" : "arriving"} ${origin}`;
    const upstream = upstreams.get(name) ?? { taken: 0, waiting: new Set() };
    upstreams.set(name, upstream);
    const { waiting } = upstream;
    if (upstream.taken < most) upstream.taken += 1;
    else
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(next);
          reject(upstreamError("upstream_busy", "All connections to the upstream are in use.", undefined, origin));
        }, waitMs);
        const next = () => {
          waiting.delete(next);
          clearTimeout(late);
          resolve();
        };
        waiting.add(next);
      });
    return () => {
      const [next] = waiting;
      if (next !== undefined) return next();
      upstream.taken -= 1;
      if (upstream.taken === 0) upstreams.delete(name);
    };
  };
}

/** The connection of one client of a pool, and the requests that it has carried. */
interface Connection {
  socket: Socket | undefined;
  uses: number;
}

/** Options of a request that is dispatched, in which its client leaves its connection. */
type Dispatched = Dispatcher.DispatchOptions & { readonly carried?: { by?: Connection } };

/** A client that tells a request which connection carries it, whatever stands between them. */
export function tellingClient(origin: string | URL, { connect, ...options }: Client.Options): Client {
  const connection: Connection = { socket: undefined, uses: 0 };
  const connector: buildConnector.connector = (target, done) => {
    if (typeof connect !== "function") throw new TypeError("A pool gives its clients a connector.");
    connect(target, (...[error, socket]) => {
      connection.socket = socket ?? undefined;
      connection.uses = 0;
      if (error === null) done(null, socket);
      else done(error, null);
    });
  };
  const client = new Client(origin, { ...options, connect: connector });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (asked: Dispatched, handler) => {
    if (asked.carried !== undefined) asked.carried.by = connection;
    return dispatch(asked, handler);
  };
  return client;
}

/** The ways to upstreams. */
interface Upstreams {
  readonly agent: Dispatcher;
  /** For the request of which a kept connection was lost: each of its connections is new. */
  readonly fresh: Dispatcher;
  readonly takePlace: TakePlace;
}

/**
 * Sends a request through undici and pushes its answer into `sink`; pauses upstream while the sink asks for patience. Where a kept
 * connection fails before a byte of the answer, which is how a server ends one, the request goes once more on a fresh one.
 */
export async function relay({ agent, fresh, takePlace }: Upstreams, request: UpstreamRequest, sink: AnswerSink) {
  const over = await takePlace(request);
  const body = replayable(request.body);
  try {
    if (request.signal.aborted) throw request.signal.reason;
    const lost = await dispatched(agent, { ...request, body: body.first() }, sink);
    const again = lost && body.again();
    if (lost !== undefined && again === undefined) throw asUnloopError(lost, request.origin);
    if (again !== undefined) await dispatched(fresh, { ...request, body: again.body }, sink);
  } finally {
    over();
    body.leave();
  }
}

type Body = UpstreamRequest["body"];

/** Resolves behind the answer: with the error of a kept connection that was lost before any of it came. */
function dispatched(agent: Dispatcher, request: UpstreamRequest, sink: AnswerSink): Promise<Error | undefined> {
  return new Promise((resolve, reject) => {
    const carried: NonNullable<Dispatched["carried"]> = {};
    const options: Dispatched = {
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: toPairs(request.fields),
      // undici takes any async iterable, its documentation says so; its types do not yet.
      body: (request.body ?? null) as Uint8Array | Readable | null,
      carried,
      upgrade: request.upgrade ?? null,
    };
    agent.dispatch(options, handlerFor(request, sink, carried, resolve, reject));
  });
}

/** Of a body that arrives while it is sent, so much is kept to be sent again. In bytes. */
const REPLAYED = 1024 * 1024;

interface Replayable {
  first(): Body;
  /** Undefined where too much of it is gone. */
  again(): { readonly body: Body } | undefined;
  /** What has not been sent of it is not wanted any more. */
  leave(): void;
}

/** A body that may be sent a second time: a whole one, or one that has not grown too long. Its pieces are kept, not copied. */
function replayable(body: Body): Replayable {
  if (body === undefined || body instanceof Uint8Array)
    return { first: () => body, again: () => ({ body }), leave: () => undefined };
  const source = body[Symbol.asyncIterator]();
  let kept: Uint8Array[] | undefined = [];
  let keptBytes = 0;
  let next: Promise<IteratorResult<Uint8Array>> | undefined;
  /** One at a time, whoever asks: the first sending may have asked for a piece that only the second one gets. */
  const pull = () =>
    (next ??= source.next().then((piece) => {
      next = undefined;
      if (piece.done !== true) keptBytes += piece.value.byteLength;
      if (keptBytes > REPLAYED) kept = undefined;
      else if (piece.done !== true) kept?.push(piece.value);
      return piece;
    }));
  async function* sending(): AsyncGenerator<Uint8Array> {
    const pieces = kept ?? [];
    for (let at = 0; ; at++) {
      const piece = pieces[at];
      if (piece !== undefined) yield piece;
      else {
        const { done, value } = await pull();
        if (done === true) return;
        yield value;
      }
    }
  }
  return {
    first: sending,
    again: () => (kept === undefined ? undefined : { body: sending() }),
    leave: () => void source.return?.().catch(() => undefined),
  };
}

function handlerFor(
  { signal, origin, sent }: UpstreamRequest,
  sink: AnswerSink,
  carried: NonNullable<Dispatched["carried"]>,
  resolve: (lost: Error | undefined) => void,
  reject: (reason: unknown) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let status = 0;
  let isReused = false;
  let awaited: Promise<void> | undefined;
  let readBefore = 0;
  const abort = () => {
    if (controller === undefined) reject(signal.reason);
    else controller.abort(asError(signal.reason));
  };
  signal.addEventListener("abort", abort);
  const over = () => {
    signal.removeEventListener("abort", abort);
    // The connection may serve another answer by then.
    awaited = undefined;
  };
  const wasLost = (error: Error) => isReused && LOST.has(codeOf(error)) && carried.by?.socket?.bytesRead === readBefore;

  return {
    onRequestStart(started) {
      controller = started;
      if (carried.by !== undefined) {
        isReused = carried.by.uses++ > 0;
        readBefore = carried.by.socket?.bytesRead ?? 0;
        // It is written behind this.
        if (sent !== undefined) process.nextTick(whenWritten, carried.by.socket, sent);
      }
      if (signal.aborted) abort();
    },
    onResponseStart(_, begun, fields) {
      if (begun < 200) return;
      status = begun;
      sink.head(status, fields);
    },
    onRequestUpgrade(_, __, fields, socket) {
      over();
      if (sink.tunnel === undefined) socket.destroy();
      else sink.tunnel(fields, socket);
      resolve(undefined);
    },
    onResponseData(_, bytes) {
      const ready = sink.write(bytes);
      if (ready === undefined) return;
      awaited = ready;
      controller?.pause();
      const goOn = () => {
        if (awaited === ready) controller?.resume();
      };
      ready.then(goOn, goOn);
    },
    onResponseEnd() {
      over();
      // The last piece may have been too much for its reader.
      if (signal.aborted) sink.fail(signal.reason);
      else sink.end();
      resolve(undefined);
    },
    onResponseError(_, error) {
      over();
      if (status === 0) {
        if (signal.aborted) reject(signal.reason);
        else if (wasLost(error)) resolve(error);
        else reject(asUnloopError(error, origin));
        return;
      }
      // Its length is that of an answer which it only stands for.
      if (status === 304 && codeOf(error) === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") sink.end();
      else sink.fail(signal.aborted ? signal.reason : asSilence(error, origin));
      resolve(undefined);
    },
  };
}

function whenWritten(socket: Socket | undefined, told: () => void): void {
  if (socket === undefined || socket.writableLength === 0) told();
  else socket.once("drain", told);
}

/** How a connection that the server has closed, or is closing, shows itself. */
const LOST: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "ECONNABORTED"]);

/** What broke an answer off: by the guard for its silence, or by the upstream. */
function asSilence(cause: Error, origin: string): Error {
  if (codeOf(cause) !== "UND_ERR_BODY_TIMEOUT") return cause;
  return upstreamError("upstream_timeout", "The upstream fell silent within its answer.", cause, origin);
}

function asUnloopError(cause: Error, origin: string): UnloopError {
  if (cause instanceof UnloopError) return cause;
  const code = codeOf(cause);
  if (code === "UND_ERR_HEADERS_TIMEOUT")
    return upstreamError("upstream_timeout", "The upstream did not start its answer in time.", cause, origin);
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return upstreamError("answer_header_too_large", "The header of the upstream's answer is too large.", cause, origin);
  const refusal = /Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
  const why =
    refusal === undefined
      ? `The upstream could not be reached (${code}).`
      : `The proxy on the way to the upstream answered ${refusal}.`;
  return upstreamError("upstream_unreachable", why, cause, origin);
}

function upstreamError(code: ErrorCode, message: string, cause: unknown, origin: string): UnloopError {
  return new UnloopError(code, message, { cause, facts: { origin } });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The request was aborted.", { cause: reason });
}

// A host with several addresses fails with all their errors at once; the first says enough.
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
