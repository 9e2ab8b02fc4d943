import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { UnloopError } from "../errors.ts";
import { toPairs } from "./web-send.ts";
import type { AnswerSink, BodyStream, UpstreamRequest } from "./transport.ts";

/** Connections to upstreams, and how long a request waits for one that is free. */
export interface ConnectionPool {
  readonly agent: Dispatcher;
  readonly waitMs: number;
  /** Whether all connections to an origin are taken. */
  isFull(origin: string): boolean;
  /** A request is on its way; to be called back when it is over. */
  begin(origin: string): () => void;
}

export function connectionPool(agent: Dispatcher, most: number, waitMs: number): ConnectionPool {
  const open = new Map<string, number>();
  return {
    agent,
    waitMs,
    isFull: (origin) => (open.get(origin) ?? 0) >= most,
    begin(origin) {
      open.set(origin, (open.get(origin) ?? 0) + 1);
      return () => {
        const left = (open.get(origin) ?? 1) - 1;
        if (left === 0) open.delete(origin);
        else open.set(origin, left);
      };
    },
  };
}

/** Sends a request through undici and pushes its answer into `sink`; pauses upstream while the sink asks for patience. */
export function relay(pool: ConnectionPool, request: UpstreamRequest, sink: AnswerSink): Promise<void> {
  if (request.signal.aborted) return Promise.reject(request.signal.reason);
  const { agent, waitMs } = pool;
  const limitMs = pool.isFull(request.origin) ? waitMs : undefined;
  const over = pool.begin(request.origin);
  const relayed = new Promise<void>((resolve, reject) => {
    const options = {
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: toPairs(request.fields),
      body: undiciBody(request.body),
    };
    agent.dispatch(options, handlerFor(request, sink, limitMs, { resolve, reject }));
  });
  return relayed.finally(over);
}

interface Settling {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function busy(origin: string): UnloopError {
  return new UnloopError("upstream_busy", "All connections to the upstream are in use.", { facts: { origin } });
}

function handlerFor(
  { signal, origin }: UpstreamRequest,
  sink: AnswerSink,
  limitMs: number | undefined,
  { resolve, reject }: Settling,
): Dispatcher.DispatchHandler {
  let givenUp: UnloopError | undefined;
  const giveUp = () => {
    givenUp = busy(origin);
    signal.removeEventListener("abort", abort);
    reject(givenUp);
  };
  const waiting = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs);
  let controller: Dispatcher.DispatchController | undefined;
  let begun = false;
  const abort = () => {
    if (controller === undefined) reject(signal.reason);
    else controller.abort(asError(signal.reason));
  };
  signal.addEventListener("abort", abort);
  const arriving = tickGatherer((bytes) => sink.write(bytes), {
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  });

  return {
    onRequestStart(started) {
      clearTimeout(waiting);
      if (givenUp !== undefined) return started.abort(givenUp);
      controller = started;
      if (signal.aborted) abort();
    },
    onResponseStart(_, status, fields) {
      if (status < 200) return;
      begun = true;
      arriving.expect();
      sink.head(status, fields);
    },
    onResponseData(_, bytes) {
      arriving.add(bytes);
    },
    onResponseEnd() {
      signal.removeEventListener("abort", abort);
      arriving.finish();
      // The last piece may have been too much for its reader.
      if (signal.aborted) sink.fail(signal.reason);
      else sink.end();
      resolve();
    },
    onResponseError(_, error) {
      clearTimeout(waiting);
      if (givenUp !== undefined) return;
      signal.removeEventListener("abort", abort);
      const reason = signal.aborted ? signal.reason : begun ? asSilence(error, origin) : asUnloopError(error, origin);
      if (!begun) return reject(reason);
      arriving.finish();
      sink.fail(reason);
      resolve();
    },
  };
}

/** What broke an answer off: by the guard for its silence, or by the upstream. */
function asSilence(cause: Error, origin: string): Error {
  if (codeOf(cause) !== "UND_ERR_BODY_TIMEOUT") return cause;
  return new UnloopError("upstream_timeout", "The upstream fell silent within its answer.", {
    cause,
    facts: { origin },
  });
}

function asUnloopError(cause: Error, origin: string): UnloopError {
  const code = codeOf(cause);
  const facts = { origin };
  if (code === "UND_ERR_HEADERS_TIMEOUT") {
    return new UnloopError("upstream_timeout", "The upstream did not start its answer in time.", { cause, facts });
  }
  const refusal = /Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
  if (refusal !== undefined)
    return new UnloopError("upstream_unreachable", `The proxy on the way to the upstream answered ${refusal}.`, {
      cause,
      facts,
    });
  return new UnloopError("upstream_unreachable", `The upstream could not be reached (${code}).`, { cause, facts });
}

// undici takes any async iterable, its documentation says so; its types do not yet.
function undiciBody(body: Uint8Array | BodyStream | undefined): Uint8Array | Readable | null {
  return (body ?? null) as Uint8Array | Readable | null;
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

/** Hands pieces of an answer on: those that arrive in one tick as one, at its end. */
interface TickGatherer {
  /** Something may arrive within this tick. Called before what else is to run at its end, it comes before that. */
  expect(): void;
  add(piece: Uint8Array): void;
  /** Hands on what has come before an end or a failure is told. The source, whose connection may serve another by now, is let alone. */
  finish(): void;
}

/** Brakes that slow down the source of the pieces. */
interface Brakes {
  pause(): void;
  resume(): void;
}

/**
 * An upstream's writes arrive many at a time, and each costs as much to look at and to write as all of them together do. None
 * waits for a later tick: it goes with what has been read from the socket by then.
 */
export function tickGatherer(write: AnswerSink["write"], brakes: Brakes): TickGatherer {
  let pieces: Uint8Array[] = [];
  let isDue = false;
  let isPatient = false;
  let isOver = false;

  function handOn(): Promise<void> | undefined {
    const [first] = pieces;
    if (first === undefined) return undefined;
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
    pieces = [];
    return write(bytes);
  }

  /** A source that was told to pause may still have one piece to give. */
  function proceed(): void {
    if (isPatient) return;
    const ready = handOn();
    if (ready === undefined) return;
    isPatient = true;
    brakes.pause();
    ready.then(goOn, goOn);
  }

  function goOn(): void {
    isPatient = false;
    proceed();
    if (!isPatient && !isOver) brakes.resume();
  }

  const atEndOfTick = () => {
    isDue = false;
    proceed();
  };

  function expect(): void {
    if (isDue) return;
    isDue = true;
    process.nextTick(atEndOfTick);
  }

  return {
    expect,
    add(piece) {
      pieces.push(piece);
      expect();
    },
    finish() {
      isOver = true;
      void handOn();
    },
  };
}
