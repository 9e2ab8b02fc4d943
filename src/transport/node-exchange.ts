import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { declaredLength, REASON, toPairs } from "./web-send.ts";
import {
  abortable,
  type AnswerSink,
  type BodyStream,
  clientGone,
  type Exchange,
  type Fields,
  mountOf,
  originForm,
  readBefore,
  takeBody,
  type RunExchange,
  type Signal,
} from "./transport.ts";

export function nodeExchange(incoming: IncomingMessage, outgoing: ServerResponse, target: string): Exchange {
  const gone = goneSignal(incoming, outgoing);
  return {
    method: incoming.method ?? "GET",
    target,
    mount: mountOf(originForm(incoming.url ?? "/"), target),
    fields: incoming.headers,
    address: incoming.socket.remoteAddress,
    gone,
    body: async (limits) =>
      takeBody(bodyStream(incoming) ?? Readable.from([]), declaredLength(incoming.headers) ?? 0, limits, gone),
    stream: () => bodyStream(incoming),
    answer: nodeAnswer(incoming, outgoing),
  };
}

function goneSignal(incoming: IncomingMessage, outgoing: ServerResponse): Signal {
  const gone = abortable();
  const leave = () => gone.abort(clientGone());
  // The client's socket failing is the client hanging up, and `close` says so; unheard, the event would end the process.
  for (const side of [incoming, outgoing]) side.on("error", () => undefined);
  if (outgoing.destroyed || incoming.socket.destroyed) leave();
  else
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) leave();
      else if (!incoming.readableEnded) drainUnread(incoming);
    });
  return gone;
}

function bodyStream(incoming: IncomingMessage): BodyStream | undefined {
  const { headers, readableEnded } = incoming;
  if (headers["transfer-encoding"] === undefined && !declaredLength(headers)) return undefined;
  // Given the stream itself, undici destroys it when the upstream fails; what the client still sends of it would then stand in
  // the way of its next request.
  if (!readableEnded) return incoming.iterator({ destroyOnReturn: false });
  // A parser in front of the guard may have kept the bytes; a parsed value is no such thing: it was written otherwise.
  const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = incoming as object;
  const kept = [rawBody, body].find((one) => one instanceof Uint8Array || typeof one === "string");
  if (kept === undefined) throw readBefore();
  return Readable.from([typeof kept === "string" ? Buffer.from(kept) : kept]);
}

/** For a client to send the rest of a request that is answered. */
const PATIENCE_MS = 500;

/** Drains the unread rest of a request, so that the client's next one can be read; one that takes too long ends the connection. */
function drainUnread(incoming: IncomingMessage): void {
  if (incoming.destroyed) return;
  incoming.resume();
  if (incoming.complete) return;
  const late = setTimeout(() => incoming.socket.destroySoon(), PATIENCE_MS);
  // A listener keeps it flowing, whoever reads it still.
  incoming.on("data", () => undefined).on("close", () => clearTimeout(late));
}

function nodeAnswer(incoming: IncomingMessage, outgoing: ServerResponse): AnswerSink {
  let headOnWire = false;
  let endsWithConnection = false;
  const closed = () => outgoing.destroyed || outgoing.writableEnded;

  return {
    head(status, fields) {
      if (closed()) return;
      outgoing.writeHead(status, fields[REASON]?.toString(), toPairs(fields));
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
    fail() {
      if (!outgoing.headersSent || closed()) return;
      // To an HTTP/1.0 client the end of the connection is the end of the body: only a reset is an abort.
      if (endsWithConnection) outgoing.socket?.resetAndDestroy();
      else outgoing.destroy();
    },
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

/** Runs an exchange to its end, and breaks off or answers what that leaves open. Never rejects. */
export async function runToEnd(exchange: Exchange, outgoing: ServerResponse, run: RunExchange): Promise<void> {
  await run(exchange).catch((error: unknown) => exchange.answer.fail(error));
  if (!outgoing.headersSent && !exchange.gone.aborted) outgoing.writeHead(500).end();
}

/** Bytes go both ways as they come, and nobody reads them, until one side ends or for so long nothing comes from either. */
function join(client: Socket, upstream: Socket, idleMs: number): void {
  const end = () => [client, upstream].map((socket) => socket.destroy());
  const broken = () => [client, upstream].map((socket) => socket.resetAndDestroy());
  // What goes either way moves on this side.
  client.setTimeout(idleMs, end);
  for (const socket of [client, upstream]) socket.once("close", end).on("error", broken);
  client.pipe(upstream).pipe(client);
}

/** Runs exchanges that ask for an upgrade. @param most of them at a time; further ones are told that there is none */
export function tunnels(most: number, idleMs: number) {
  let open = 0;
  return (incoming: IncomingMessage, client: Socket, head: Buffer, run: RunExchange): true => {
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(incoming.socket);
    outgoing.once("finish", () => incoming.socket.destroySoon());
    client.on("error", () => client.destroy());
    const tunnel = (fields: Fields, upstream: unknown) => {
      outgoing.detachSocket(outgoing.socket ?? incoming.socket);
      const pairs = ["connection", "Upgrade", "upgrade", "websocket", ...toPairs(fields)];
      const lines = pairs.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      const peer = upstream as Socket;
      peer.write(head);
      join(client, peer, idleMs);
    };
    const exchange = nodeExchange(incoming, outgoing, originForm(incoming.url ?? "/"));
    const hasRoom = open < most;
    if (hasRoom) open += 1;
    if (hasRoom) client.once("close", () => (open -= 1));
    const answer = { ...exchange.answer, ...(hasRoom && { tunnel }) };
    const isOpen = () => !outgoing.headersSent && outgoing.socket !== null;
    void run({ ...exchange, answer }).finally(() => isOpen() && client.destroy());
    return true;
  };
}
