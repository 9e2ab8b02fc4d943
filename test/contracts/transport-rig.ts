import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import { connect } from "node:net";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { Hono } from "hono";
import { afterEach, onTestFinished } from "vitest";
import { UnloopError } from "../../src/errors.ts";
import { forward } from "../../src/proxy/relay/forward.ts";
import { listen } from "../../src/transport/node-server.ts";
import type { RunExchange, Transport } from "../../src/transport/transport.ts";
import { closing, listening } from "../support/servers/http.ts";

export interface TransportOptions {
  readonly firstByteTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

export type MakeTransport<T extends Transport = Transport> = (options?: TransportOptions) => T;

export type Front<T extends Transport> = (transport: T, run: RunExchange) => Parameters<typeof listen>[2];

export interface ProxyOptions extends TransportOptions {
  /** Reads the whole body, up to so many bytes, before forwarding; else it is passed on as it comes. */
  readonly limitBytes?: number;
  /** Answers in place of `forward`. */
  readonly run?: RunExchange;
}

/** Real sockets around a transport, taken down after each test. */
export function transportRig<T extends Transport>(makeTransport: MakeTransport<T>, front?: Front<T>) {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  return {
    async upstream(listener: RequestListener) {
      const server = createServer({ keepAliveTimeout: 60_000 }, listener);
      open.push(() => closing(server));
      return listening(server);
    },
    async proxy(upstream: string, options: ProxyOptions = {}) {
      const transport = makeTransport(options);
      const run = options.run ?? telling(passing(transport, upstream, options));
      const shortcut = front?.(transport, run);
      const { url, drain } = await listen(appAround(transport, run), { host: "127.0.0.1", port: 0 }, shortcut);
      open.push(async () => {
        await drain(0);
        await transport.close();
      });
      return url;
    },
  };
}

function passing(transport: Transport, upstream: string, { limitBytes }: ProxyOptions): RunExchange {
  return async (exchange) => {
    const limits = limitBytes === undefined ? undefined : { maxBytes: limitBytes, readBytes: limitBytes };
    const body = limits === undefined ? {} : { body: await exchange.body(limits) };
    await forward(exchange, { transport, upstream: new URL(upstream), ...body });
  };
}

function appAround(transport: Transport, run: RunExchange): Hono {
  return new Hono().all("*", (context) => transport.accept(context, run));
}

function telling(run: RunExchange): RunExchange {
  return (exchange) =>
    run(exchange).catch((error: unknown) => {
      if (!(error instanceof UnloopError)) throw error;
      exchange.answer.head(error.status, { "x-error": error.code, "content-length": "0" });
      exchange.answer.end();
    });
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly pieces?: readonly Uint8Array[];
}

export type Rig = ReturnType<typeof transportRig>;

export async function answerTo(url: string, { method = "GET", headers = {}, pieces = [] }: Sent = {}) {
  const outgoing = request(url, { method, headers, agent: false });
  const answered = once(outgoing, "response");
  // What goes wrong behind the head is the answer's own error; a server that stops may reset a connection that is done.
  outgoing.on("error", () => undefined);
  for (const piece of pieces) {
    outgoing.write(piece);
    await setImmediate();
  }
  outgoing.end();
  const [answer]: IncomingMessage[] = await answered;
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

export function rawConnection(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  // A reset is an event that tests wait for, not a failure of theirs.
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    received: () => received,
    /** All that has come, once this is among it. */
    async until(text: string) {
      while (!received.includes(text)) await once(socket, "data");
      return received;
    },
  };
}

/** Waits until `progress` stands still although the event loop, which drives all sides here, has had every chance. */
export async function standstill(progress: () => number): Promise<number> {
  let last = progress();
  for (let idleTurns = 0; idleTurns < 300; idleTurns += 1) {
    await setImmediate();
    if (progress() !== last) idleTurns = 0;
    last = progress();
  }
  return last;
}

export function pump(to: Writable, totalBytes: number): { written: () => number } {
  const piece = Buffer.alloc(64 * 1024, "x");
  let written = 0;
  async function* pieces() {
    for (; written < totalBytes; written += piece.byteLength) yield piece;
  }
  pipeline(pieces, to).catch(() => undefined);
  return { written: () => written };
}

export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
