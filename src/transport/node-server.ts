import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { UnloopError } from "../errors.ts";
import { isLoopback } from "../text/loopback.ts";
import { capConnections } from "./node-connection-cap.ts";
import { answerRefusal, refusalOf } from "./node-refusal.ts";
import { stallWatch } from "./node-stalls.ts";

export interface Listening {
  readonly url: string;
  /** Takes no new connection, lets open exchanges finish for up to `ms`, then cuts what is left. */
  drain(ms: number): Promise<void>;
}

/** Shortcut past the app: answers a request itself, or returns false and leaves it to the app. */
export type Shortcut = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * Serves an app over HTTP/1.1. Resolves when it listens.
 * @throws UnloopError `bad_setting` when the address cannot be had.
 */
export async function listen(
  app: Pick<Hono, "fetch">,
  address: { host: string; port: number } & Partial<ClientLimits>,
  shortcut: Shortcut = () => false,
): Promise<Listening> {
  // The global Request and Response stay node's own: the surrounding program may rely on them.
  const viaApp = getRequestListener(app.fetch, { hostname: address.host, overrideGlobalObjects: false });
  const isLocal = isLoopback(address.host);
  const server = createServer(timeouts, (incoming, outgoing) => {
    const refusal = refusalOf(incoming, isLocal);
    if (refusal !== undefined) answerRefusal(outgoing, refusal);
    else if (!shortcut(incoming, outgoing)) void viaApp(incoming, outgoing);
  });
  // Node would leave out what is beyond its own limit without a word.
  server.maxHeadersCount = 0;
  capConnections(server, address.maxClientConnections ?? 0);
  const exchanges = openExchanges(server);
  const stalls = stallWatch(exchanges.sockets, address.clientIdleTimeoutMs ?? STANDARD_IDLE_MS);
  server.once("close", stalls.stop);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(unavailable(address, cause)));
    server.listen(address.port, address.host, resolve);
  });
  return {
    url: urlOf(server),
    drain(ms) {
      stalls.limit(DRAINING_IDLE_MS);
      return drain(server, exchanges, ms);
    },
  };
}

/** Limits on the resources that clients may hold, and for how long. */
export interface ClientLimits {
  /** For a client that has fallen silent within its request, or does not read its answer. */
  readonly clientIdleTimeoutMs: number;
  /** Connections of one address at a time; 0: any number. */
  readonly maxClientConnections: number;
}

const STANDARD_IDLE_MS = 60_000;
/** While the server ends, so long at most. */
const DRAINING_IDLE_MS = 1_000;

const timeouts = {
  headersTimeout: 60_000,
  // For receiving a request, not for answering it; long enough for any upload, and a stalled one still ends.
  requestTimeout: 3_600_000,
  // Longer than load balancers in front keep a connection (AWS 60 s, nginx 75 s, Google 600 s): the side that closes first
  // must be the one that sends requests, or a request can be lost while the connection closes.
  keepAliveTimeout: 620_000,
};

interface Exchanges {
  readonly sockets: ReadonlyMap<Socket, ServerResponse | undefined>;
  /** Stops keep-alive: from now on a connection ends with its exchange. */
  stopReuse(): void;
}

function openExchanges(server: Server): Exchanges {
  const sockets = new Map<Socket, ServerResponse | undefined>();
  let reuse = true;
  server.on("connection", (socket) => {
    sockets.set(socket, undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
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
    stopReuse() {
      reuse = false;
      for (const response of sockets.values()) if (response?.headersSent === false) response.shouldKeepAlive = false;
    },
  };
}

async function drain(server: Server, exchanges: Exchanges, ms: number): Promise<void> {
  exchanges.stopReuse();
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    // Not http's own `close`: it takes an answer that was ended but is not yet sent for idle, and cuts it.
    NetServer.prototype.close.call(server, () => resolve());
    for (const [socket, response] of exchanges.sockets) if (response === undefined) socket.destroy();
    timer = setTimeout(() => server.closeAllConnections(), ms);
  });
  clearTimeout(timer);
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
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
