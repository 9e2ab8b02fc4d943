import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { UnloopError } from "../errors.ts";
import { MAX_HEADER } from "./transport.ts";
import { hostIn, isLocalName, isLoopback } from "../text/loopback.ts";

export interface Listening {
  readonly url: string;
  /** Takes no new connection, lets open exchanges finish for up to `ms`, then cuts what is left. */
  drain(ms: number): Promise<void>;
}

/**
 * Serves an app over HTTP/1.1. Resolves when it listens. @throws UnloopError `bad_setting` when the address cannot be had
 * @param shortcut answers a request itself, or returns false and leaves it to the app; `upgrade` one for a WebSocket, with what came behind its header
 */
export async function listen(
  app: Pick<Hono, "fetch">,
  address: { host: string; port: number } & Partial<ClientLimits>,
  shortcut: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean = () => false,
  upgrade?: (incoming: IncomingMessage, socket: Socket, head: Buffer) => boolean,
): Promise<Listening> {
  // The global Request and Response stay node's own: the surrounding program may rely on them.
  const viaApp = getRequestListener(app.fetch, { hostname: address.host, overrideGlobalObjects: false });
  const isLocal = isLoopback(address.host);
  const maxHeaderSize = address.maxHeaderBytes ?? MAX_HEADER;
  const options = { ...timeouts, maxHeaderSize };
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const refusal = refusalOf(incoming, isLocal);
    if (refusal !== undefined) {
      const { status, body, fields } = refusalAnswer(refusal);
      outgoing.writeHead(status, fields).end(body);
    } else if (!shortcut(incoming, outgoing)) void viaApp(incoming, outgoing);
  };
  const server = createServer(options, answer);
  // Node would leave out what is beyond its own limit without a word.
  server.maxHeadersCount = 0;
  if (upgrade !== undefined)
    server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      const isTaken = incoming.method === "GET" && /\bwebsocket\b/i.test(incoming.headers.upgrade ?? "");
      const isTunnelled = isTaken && refusalOf(incoming, isLocal) === undefined && upgrade(incoming, socket, head);
      if (!isTunnelled) readAgain(server, incoming, socket, head);
    });
  server.on("connect", (_, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    refuse(socket, refused(NO_FORWARD_PROXY));
    socket.destroySoon();
  });
  const exchanges = openExchanges(server, address.maxClientConnections || Number.POSITIVE_INFINITY);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    answerUnparsed(socket, exchanges.sockets.get(socket), error.code ?? "unknown", maxHeaderSize);
  });
  const idleMs = address.clientIdleTimeoutMs ?? STANDARD_IDLE_MS;
  server.setTimeout(idleMs, (socket) => endStalled(socket, exchanges.sockets, idleMs));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(unavailable(address, cause)));
    server.listen(address.port, address.host, resolve);
  });
  return {
    url: urlOf(server),
    drain(ms) {
      for (const socket of exchanges.sockets.keys()) socket.setTimeout(Math.min(idleMs, DRAINING_UPLOAD_MS));
      return drain(server, exchanges, ms);
    },
  };
}

/** Limits on what clients may hold, and for how long. */
export interface ClientLimits {
  readonly clientIdleTimeoutMs: number;
  readonly maxClientConnections: number;
  readonly maxHeaderBytes: number;
}

const STANDARD_IDLE_MS = 60_000;
/** While the server ends, within a request. */
const DRAINING_UPLOAD_MS = 1_000;

const timeouts = {
  // An answer may take an hour: a client that has vanished meanwhile without a word is noticed.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  headersTimeout: 60_000,
  // For receiving a request, not for answering it; long enough for any upload, and a stalled one still ends.
  requestTimeout: 3_600_000,
  // Longer than load balancers in front keep a connection (AWS 60 s, nginx 75 s, Google 600 s): the side that closes first
  // must be the one that sends requests, or a request can be lost while the connection closes.
  keepAliveTimeout: 620_000,
};

const OFFERING = new Set(["upgrade", "http2-settings", "connection"]);

/** A request that offers another protocol, and has to be read as if it did not (RFC 9110 7.8). */
function readAgain(server: Server, { method, url, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || OFFERING.has(name.toLowerCase()) ? [] : `${name}: ${rawHeaders[at + 1]}\r\n`,
  );
  socket.unshift(Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

type Exchanges = ReturnType<typeof openExchanges>;

/** Each connection, with the answer that is due on it. @param most connections of one address; further ones are refused */
function openExchanges(server: Server, most: number) {
  const sockets = new Map<Socket, ServerResponse | undefined>();
  let reuse = true;
  server.on("connection", (socket) => {
    // One that is read again is counted already.
    if (sockets.has(socket)) return;
    sockets.set(socket, undefined);
    socket.once("close", () => sockets.delete(socket));
    let count = 0;
    if (most < sockets.size)
      for (const { remoteAddress } of sockets.keys()) if (remoteAddress === socket.remoteAddress) count += 1;
    if (count > most) socket.resetAndDestroy();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    sockets.set(socket, response);
    response.shouldKeepAlive &&= reuse;
    response.once("close", () => {
      if (sockets.get(socket) !== response) return;
      sockets.set(socket, undefined);
      if (!reuse) socket.destroySoon();
    });
  });
  return {
    sockets,
    /** From now on a connection ends with its exchange. */
    stopReuse() {
      reuse = false;
      for (const response of sockets.values()) if (response?.headersSent === false) response.shouldKeepAlive = false;
    },
  };
}

async function drain(server: Server, { sockets, stopReuse }: Exchanges, ms: number): Promise<void> {
  stopReuse();
  // Not http's own `close`: it takes an answer that was ended but is not yet sent for idle, and cuts it.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const [socket, response] of sockets) if (response === undefined) socket.destroy();
  const timer = setTimeout(() => [...sockets.keys()].map((socket) => socket.destroy()), ms);
  await closed;
  clearTimeout(timer);
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function unavailable({ host, port }: { host: string; port: number }, cause: NodeJS.ErrnoException): UnloopError {
  const reasons: Record<string, string> = {
    EADDRINUSE: "something else listens there already; stop it, or choose another port with UNLOOP_PORT or --port",
    EACCES: "the port needs more rights; choose one above 1023 with UNLOOP_PORT or --port",
    EADDRNOTAVAIL: "this machine has no such address; correct UNLOOP_HOST or --host",
    ENOTFOUND: "there is no such host; correct UNLOOP_HOST or --host",
  };
  const reason = reasons[cause.code ?? ""] ?? `${cause.code ?? cause.message}; correct UNLOOP_HOST and UNLOOP_PORT`;
  return new UnloopError("bad_setting", `Cannot listen on ${host}:${port}: ${reason}.`, { cause });
}

const MAX_FIELDS = 1_000;

/** What is wrong with a request that servers could read in different ways, or that nobody should send through a proxy. @param isLocal the server listens on loopback */
function refusalOf(incoming: IncomingMessage, isLocal: boolean): UnloopError | undefined {
  const { method, httpVersion, headers, rawHeaders, url = "" } = incoming;
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return refused(`HTTP/${httpVersion.slice(0, 8)} is not spoken here.`);
  if (method === "TRACE") return refused("TRACE would send credentials back.");
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return refused("The only transfer coding here is chunked.");
  if (rawHeaders.length > 2 * MAX_FIELDS) return refused(`The request has more than ${MAX_FIELDS} header fields.`);
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return refused("The request has more than one Host.");
  const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  if (target !== headers.host) return refused("The target names another host than the Host header.");
  // The upstream gets a Host of its own, so that nobody behind here can see that a page of another site had its name resolve to this machine.
  return isLocal && !isLocalName(hostIn(headers.host ?? "")) ? refused(NO_LOCAL_NAME) : undefined;
}

const NO_LOCAL_NAME =
  "Unloop listens on loopback and answers to this machine's own names alone; send Host 127.0.0.1 (a reverse proxy can set it), or listen elsewhere with UNLOOP_HOST.";

function refused(message: string): UnloopError {
  return new UnloopError("request_refused", message);
}

/** Nothing that follows on the connection is read: where it begins would be a matter of opinion. */
function refusalAnswer({ code, status, message, cure }: UnloopError) {
  const body = JSON.stringify({ error: { code, type: "invalid_request_error", message: `${message} ${cure}` } });
  const length = Buffer.byteLength(body);
  const fields = { "content-type": "application/json", "content-length": length, connection: "close" };
  return { status, body, fields };
}

/** For a client to read what was wrong. */
const LAST_WORDS_MS = 500;

/** Says on the connection itself what is wrong with bytes that are no request, where no answer is on its way there. */
function answerUnparsed(socket: Socket, response: ServerResponse | undefined, code: string, maxHeader: number): void {
  if (response?.headersSent === true) socket.destroy();
  // What still comes of it is unreadable, too.
  if (!socket.writable) return;
  socket.setTimeout(LAST_WORDS_MS, () => socket.destroy());
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return void socket.end(REQUEST_TIMEOUT);
  const tooLarge = `The request's header is larger than ${maxHeader} bytes.`;
  const isTooLarge = code === "HPE_HEADER_OVERFLOW";
  refuse(socket, isTooLarge ? new UnloopError("header_too_large", tooLarge) : refused(`This is no HTTP (${code}).`));
}

function refuse(socket: Socket, refusal: UnloopError): void {
  const { status, body, fields } = refusalAnswer(refusal);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

const NO_FORWARD_PROXY = "Unloop is no HTTP_PROXY: set the agent's base URL to this address instead.";

const REQUEST_TIMEOUT = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Nothing has moved on a connection: ends an exchange whose client has fallen silent within its request, or does not read its answer. */
function endStalled(socket: Socket, exchanges: ReadonlyMap<Socket, ServerResponse | undefined>, idleMs: number): void {
  const { bytesRead, timeout = 0 } = socket;
  // What has come while this process was busy is read first.
  setImmediate(() => {
    const response = exchanges.get(socket);
    const waiting = response && socket.bytesRead === bytesRead ? waitingFor(socket, response) : undefined;
    if (response === undefined) socket.destroy();
    // A shorter timeout is that of a server that ends: what was answered is sent to its end, however slowly it is read.
    else if (waiting === undefined || (waiting === "reader" && timeout < idleMs)) socket.setTimeout(idleMs);
    else if (response.headersSent) socket.resetAndDestroy();
    else {
      socket.write(REQUEST_TIMEOUT);
      socket.destroySoon();
      // The code that waits for the rest of the request is told now, not when the last byte of that is out.
      response.req.destroy();
    }
  });
}

/** Undefined where the next word is ours, or the upstream's. */
function waitingFor(socket: Socket, response: ServerResponse): "upload" | "reader" | undefined {
  const { req } = response;
  // What has arrived and is not taken yet waits for the upstream, not for the client.
  if (!req.complete && req.readableLength === 0 && !response.writableEnded) return "upload";
  return socket.writableLength > 0 ? "reader" : undefined;
}
