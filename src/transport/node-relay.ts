import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { type ErrorCode, UnloopError } from "../errors.ts";
import { codeOf, declaredLength, REASON, toPairs, unreachable } from "./web-send.ts";
import type { AnswerSink, UpstreamRequest } from "./transport.ts";

/** So many requests to one upstream at a time; beyond that they wait. Gives what gives the place back. @throws UnloopError `upstream_busy` */
export function upstreamPlaces(most: number, waitMs: number) {
  const upstreams = new Map<string, { taken: number; readonly waiting: Set<() => void> }>();
  return async ({ origin, body }: UpstreamRequest) => {
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
          reject(
            new UnloopError("upstream_busy", "All connections to the upstream are in use.", { facts: { origin } }),
          );
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

/** How many requests a connection has carried. */
interface Connection {
  socket?: Socket | undefined;
  uses: number;
}

/** Options of a request, in which the client that carries it leaves its connection. */
type Dispatched = Dispatcher.DispatchOptions & { readonly carried?: { by?: Connection } };

/** A client that tells a request which connection carries it, whatever stands between them. */
export function tellingClient(origin: string | URL, { connect, ...options }: Client.Options): Client {
  const connection: Connection = { uses: 0 };
  const connector: buildConnector.connector = (target, done) => {
    if (typeof connect !== "function") throw new TypeError("A pool gives its clients a connector.");
    connect(target, (...connected) => {
      Object.assign(connection, { socket: connected[1] ?? undefined, uses: 0 });
      done(...connected);
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

/** The ways to upstreams; each connection of the `fresh` one is new. */
interface Upstreams extends Readonly<Record<"agent" | "fresh", Dispatcher>> {
  readonly takePlace: ReturnType<typeof upstreamPlaces>;
}

/**
 * Sends a request through undici and pushes its answer into `sink`; pauses upstream while the sink asks for patience. Where a kept
 * connection fails before a byte of the answer, which is how a server ends one, the request goes once more on a fresh one.
 */
export async function relay({ agent, fresh, takePlace }: Upstreams, request: UpstreamRequest, sink: AnswerSink) {
  const over = await takePlace(request);
  const body = replayable(request);
  try {
    if (request.signal.aborted) throw request.signal.reason;
    const lost = await dispatched(body.isKept ? agent : fresh, { ...request, body: body.sending() }, sink);
    if (lost) await dispatched(fresh, { ...request, body: body.sending() }, sink);
  } finally {
    over();
    body.leave();
  }
}

/** Resolves behind the answer; true: a kept connection was lost before any of it came. */
function dispatched(agent: Dispatcher, request: UpstreamRequest, sink: AnswerSink): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const carried: { by?: Connection } = {};
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

/** A longer body that arrives while it is sent is not kept to be sent again: it goes on a fresh connection at once. In bytes. */
const REPLAYED = 1024 * 1024;

/** A body that may be sent a second time, unless it is too long, or nobody knows how long. Its pieces are kept, not copied. */
function replayable({ body, fields }: UpstreamRequest) {
  if (body === undefined || body instanceof Uint8Array)
    return { isKept: true, sending: () => body, leave: () => undefined };
  const isKept = (declaredLength(fields) ?? Number.POSITIVE_INFINITY) <= REPLAYED;
  const source = body[Symbol.asyncIterator]();
  const kept: Uint8Array[] = [];
  let next: Promise<IteratorResult<Uint8Array>> | undefined;
  /** One at a time, whoever asks: the first sending may have asked for a piece that only the second one gets. */
  const pull = () =>
    (next ??= source.next().then((piece) => {
      next = undefined;
      if (isKept && piece.done !== true) kept.push(piece.value);
      return piece;
    }));
  return {
    isKept,
    async *sending(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < kept.length; at++) yield kept[at] as Uint8Array;
      for (let piece = await pull(); piece.done !== true; piece = await pull()) yield piece.value;
    },
    leave: () => void source.return?.().catch(() => undefined),
  };
}

function handlerFor(
  { signal, origin, sent }: UpstreamRequest,
  sink: AnswerSink,
  carried: { readonly by?: Connection },
  resolve: (isLost: boolean) => void,
  reject: (reason: unknown) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let status = 0;
  let isReused = false;
  let awaited: Promise<void> | undefined;
  let readBefore = 0;
  const abort = () => {
    if (controller === undefined) reject(signal.reason);
    else controller.abort(signal.reason as Error);
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
        const { socket } = carried.by;
        // It is written behind this.
        if (sent !== undefined)
          process.nextTick(() => (socket?.writableLength ? void socket.once("drain", sent) : sent()));
      }
      if (signal.aborted) abort();
    },
    onResponseStart(_, begun, fields, reason = "") {
      if (begun < 200) return;
      status = begun;
      const isUsual = reason === STATUS_CODES[status] || !/^[\t\x20-\x7e]*$/.test(reason);
      sink.head(status, isUsual ? fields : { ...fields, [REASON]: reason });
    },
    onRequestUpgrade(_, __, fields, socket) {
      over();
      if (sink.tunnel === undefined) socket.destroy();
      else sink.tunnel(fields, socket);
      resolve(false);
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
      resolve(false);
    },
    onResponseError(_, error) {
      over();
      if (status === 0) {
        if (signal.aborted) reject(signal.reason);
        else if (wasLost(error)) resolve(true);
        else reject(asUnloopError(error, origin));
        return;
      }
      // Its length is that of an answer which it only stands for.
      const code = codeOf(error);
      if (status === 304 && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") sink.end();
      else if (signal.aborted) sink.fail(signal.reason);
      else sink.fail(code === "UND_ERR_BODY_TIMEOUT" ? asUnloopError(error, origin) : error);
      resolve(false);
    },
  };
}

/** How a connection that the server has closed, or is closing, shows itself. */
const LOST: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "ECONNABORTED"]);

const TOLD: Readonly<Record<string, readonly [code: ErrorCode, message: string]>> = {
  UND_ERR_BODY_TIMEOUT: ["upstream_timeout", "The upstream fell silent within its answer."],
  UND_ERR_HEADERS_TIMEOUT: ["upstream_timeout", "The upstream did not start its answer in time."],
  UND_ERR_HEADERS_OVERFLOW: ["answer_header_too_large", "The header of the upstream's answer is too large."],
};

function asUnloopError(cause: Error, origin: string): UnloopError {
  if (cause instanceof UnloopError) return cause;
  const refusal = /Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
  const refused = ["upstream_unreachable", `The proxy on the way to the upstream answered ${refusal}.`] as const;
  const told = refusal === undefined ? TOLD[codeOf(cause)] : refused;
  return told === undefined ? unreachable(origin, cause) : new UnloopError(...told, { cause, facts: { origin } });
}
