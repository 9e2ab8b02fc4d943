import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { UnloopError } from "../errors.ts";
import { declaredLength, toPairs } from "./web-send.ts";
import {
  abortable,
  type AnswerSink,
  type BodyLimits,
  type BodyStream,
  bodyTooLarge,
  type Exchange,
  type Fields,
  mountOf,
  originForm,
  readBefore,
  type Signal,
  unanswered,
} from "./transport.ts";

export interface NodeExchange extends Exchange {
  readonly answer: NodeAnswer;
}

/** An exchange on the objects of node's own server. @param target path and query behind the mount point */
export function nodeExchange(incoming: IncomingMessage, outgoing: ServerResponse, target: string): NodeExchange {
  const gone = goneSignal(incoming, outgoing);
  return {
    method: incoming.method ?? "GET",
    target,
    mount: mountOf(originForm(incoming.url ?? "/"), target),
    fields: incoming.headers,
    address: incoming.socket.remoteAddress,
    gone,
    body: (limits) => readBody(incoming, limits, gone),
    stream: () => bodyStream(incoming),
    answer: nodeAnswer(incoming, outgoing),
  };
}

function goneSignal(incoming: IncomingMessage, outgoing: ServerResponse): Signal {
  const gone = abortable();
  const leave = () => gone.abort(new UnloopError("client_gone", "The client hung up before its answer was complete."));
  // The client's socket failing is the client hanging up, and `close` says so; unheard, the event would end the process.
  incoming.on("error", ignore);
  outgoing.on("error", ignore);
  if (outgoing.destroyed || incoming.socket.destroyed) leave();
  else
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) leave();
      else if (!incoming.readableEnded) drainUnread(incoming);
    });
  return gone;
}

function ignore(): void {}

function bodyStream(incoming: IncomingMessage): BodyStream | undefined {
  if (!hasBody(incoming)) return undefined;
  const early = parsedBefore(incoming);
  if (early !== undefined) return Readable.from([early]);
  if (incoming.readableEnded) throw readBefore();
  // Given the stream itself, undici destroys it when the upstream fails; what the client still sends of it would then stand in
  // the way of its next request.
  return incoming.iterator({ destroyOnReturn: false });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (declaredLength(headers) ?? 0) > 0;
}

/** The bytes of a body where a parser in front of the guard has kept them; a parsed value is no such thing: it was written otherwise. */
function parsedBefore(incoming: IncomingMessage): Uint8Array | undefined {
  if (!incoming.readableEnded) return undefined;
  const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = incoming as object;
  for (const one of [rawBody, body]) {
    if (one instanceof Uint8Array) return one;
    if (typeof one === "string") return Buffer.from(one);
  }
  return undefined;
}

function readBody(
  incoming: IncomingMessage,
  { maxBytes, readBytes, hold }: BodyLimits,
  gone: Signal,
): Promise<Uint8Array | BodyStream> {
  const early = parsedBefore(incoming);
  const declared = early?.byteLength ?? declaredLength(incoming.headers) ?? 0;
  if (declared > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
  if (gone.aborted) return Promise.reject(gone.reason);
  if (early !== undefined) return Promise.resolve(early);
  if (hasBody(incoming) && incoming.readableEnded) return Promise.reject(readBefore());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      incoming.off("data", take).off("end", finish);
      gone.removeEventListener("abort", giveUp);
    };
    const take = (chunk: Buffer) => {
      size += chunk.byteLength;
      const isHeld = declared <= readBytes && size <= readBytes && hold?.take(chunk.byteLength) !== false;
      chunks.push(chunk);
      if (isHeld && size <= maxBytes) return;
      stop();
      // What is left is forwarded as it comes, or drained, within bounds, once the answer is out.
      incoming.pause();
      if (size > maxBytes) reject(bodyTooLarge(maxBytes));
      else resolve(restOf(chunks, incoming, { maxBytes, hold }));
    };
    const finish = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    };
    const giveUp = () => {
      stop();
      reject(gone.reason);
    };
    incoming.on("data", take).on("end", finish);
    gone.addEventListener("abort", giveUp);
  });
}

/** A body of which the beginning has been read; each piece of that is let go of when it has been sent. */
async function* restOf(
  begun: Buffer[],
  incoming: IncomingMessage,
  { maxBytes, hold }: Pick<BodyLimits, "maxBytes" | "hold">,
): AsyncGenerator<Buffer> {
  let size = 0;
  for (let piece = begun.shift(); piece !== undefined; piece = begun.shift()) {
    size += piece.byteLength;
    yield piece;
    hold?.give(piece.byteLength);
  }
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    size += piece.byteLength;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    yield piece;
  }
}

/** For a client to send the rest of a request that is answered already, in ms and in bytes. */
const PATIENCE_MS = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Drains the unread rest of a request that is answered already, so that the client's next request can be read. A rest that takes
 * too long or is too much ends the connection.
 */
function drainUnread(incoming: IncomingMessage): void {
  if (incoming.destroyed) return;
  incoming.resume();
  if (incoming.complete) return;
  let bytes = 0;
  const giveUp = () => incoming.socket.destroySoon();
  const late = setTimeout(giveUp, PATIENCE_MS);
  incoming
    .on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) giveUp();
    })
    .on("close", () => clearTimeout(late));
}

interface NodeAnswer extends AnswerSink {
  /** Why there is no head; the caller tells the client. */
  failure(): unknown;
}

/** Writes an answer to node's own response object. */
function nodeAnswer(incoming: IncomingMessage, outgoing: ServerResponse): NodeAnswer {
  let failure: { readonly reason: unknown } | undefined;
  let headOnWire = false;
  let endsWithConnection = false;
  const closed = () => outgoing.destroyed || outgoing.writableEnded;

  return {
    head(status, fields) {
      if (closed()) return;
      outgoing.writeHead(status, toPairs(fields));
      endsWithConnection = incoming.httpVersionMinor === 0 && fields["content-length"] === undefined;
      // The client gets the head at once, but in one packet with what is already there of the body.
      process.nextTick(() => {
        if (!headOnWire && !closed()) outgoing.flushHeaders();
      });
    },
    write(bytes) {
      if (closed()) return undefined;
      headOnWire = true;
      return outgoing.write(bytes) ? undefined : drained(outgoing);
    },
    end() {
      if (!closed()) outgoing.end();
    },
    fail(reason) {
      if (!outgoing.headersSent) failure = { reason };
      else if (closed()) return;
      // To an HTTP/1.0 client the end of the connection is the end of the body: only a reset is an abort.
      else if (endsWithConnection) outgoing.socket?.resetAndDestroy();
      else outgoing.destroy();
    },
    failure: () => (failure === undefined ? unanswered() : failure.reason),
  };
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}

/** Connections that were upgraded: bytes go both ways as they come, and nobody reads them. */
export interface Tunnels {
  /** Runs the exchange that asks for an upgrade. @param head what came behind its header */
  take(incoming: IncomingMessage, client: Duplex, head: Buffer, run: (exchange: Exchange) => Promise<void>): void;
}

/** At a time, and for how long nothing may come from either side. Both ends send pings far more often. */
const MOST = 1_024;
const IDLE_MS = 3_600_000;

export function tunnels(most = MOST, idleMs = IDLE_MS): Tunnels {
  let open = 0;

  function join(client: Duplex, upstream: Duplex): void {
    open += 1;
    let timer = setTimeout(end, idleMs);
    const moved = () => timer.refresh();
    function end(): void {
      clearTimeout(timer);
      client.destroy();
      upstream.destroy();
    }
    const broken = () => {
      for (const side of [client, upstream]) if (side instanceof Socket) side.resetAndDestroy();
      end();
    };
    client.once("close", () => {
      open -= 1;
      end();
    });
    upstream.once("close", end);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from.on("error", broken).on("data", moved).pipe(to);
    timer = timer.refresh();
  }

  function exchangeOf(incoming: IncomingMessage, outgoing: ServerResponse, client: Duplex, head: Buffer): NodeExchange {
    const exchange = nodeExchange(incoming, outgoing, originForm(incoming.url ?? "/"));
    const tunnel = (fields: Fields, upstream: unknown) => {
      outgoing.detachSocket(outgoing.socket ?? incoming.socket);
      client.write(switching(fields));
      const peer = upstream as Duplex;
      if (head.length > 0) peer.write(head);
      join(client, peer);
    };
    return { ...exchange, answer: { ...exchange.answer, ...(open < most && { tunnel }) } };
  }

  return {
    take(incoming, client, head, run) {
      const outgoing = new ServerResponse(incoming);
      outgoing.shouldKeepAlive = false;
      outgoing.assignSocket(incoming.socket);
      outgoing.once("finish", () => incoming.socket.destroySoon());
      client.on("error", () => client.destroy());
      const fail = () => {
        if (!outgoing.headersSent && outgoing.socket !== null) client.destroy();
      };
      run(exchangeOf(incoming, outgoing, client, head)).then(fail, fail);
    },
  };
}

function switching(fields: Fields): string {
  const pairs = ["connection", "Upgrade", "upgrade", "websocket", ...toPairs(fields)];
  const lines = pairs.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}
