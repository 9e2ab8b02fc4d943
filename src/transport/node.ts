import * as zlib from "node:zlib";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { IncomingMessage, ServerResponse } from "node:http";
import { BlockList, isIPv6, type Socket } from "node:net";
import { UnloopError } from "../errors.ts";
import { nodeExchange, runToEnd, tunnels } from "./node-exchange.ts";
import { relay, tellingClient, upstreamPlaces } from "./node-relay.ts";
import {
  AN_HOUR_MS,
  MAX_HEADER,
  originForm,
  type RunExchange,
  targetBehindMount,
  type Transport,
} from "./transport.ts";
import { toHeaders } from "./web-send.ts";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";

/** Limits of the connections to upstreams; times in milliseconds. */
export interface NodeTransportOptions {
  readonly connectTimeoutMs?: number;
  /** An hour by default: a reasoning model without streaming says nothing until it is done. */
  readonly firstByteTimeoutMs?: number;
  /** The longest silence within an answer, and within a tunnel; an hour by default. */
  readonly idleTimeoutMs?: number;
  /** Connections to one upstream at a time; exchanges beyond that wait for one to become free. And tunnels at a time. */
  readonly upstreamConnections?: number;
  readonly upstreamWaitMs?: number;
  /** How long an unused connection is kept. Short by default: uvicorn, under vLLM for one, closes its own after 5 s. */
  readonly keepAliveMs?: number;
  /** Of an answer's header, in bytes. */
  readonly maxHeaderBytes?: number;
}

export interface NodeTransport extends Transport {
  /** Hands an exchange to `run` without Hono, which is a fifth of a pass-through's cost. Only for requests that no route of the app takes. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, run: RunExchange): void;
  /** The same for a request that asks for an upgrade. @param head what came behind its header */
  takeUpgrade(incoming: IncomingMessage, client: Socket, head: Buffer, run: RunExchange): true;
}

/** Moves bytes between Node's own objects and undici's, without web streams: they triple the cost. `accept` works under @hono/node-server only. */
export function nodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const most = options.upstreamConnections ?? 1_024;
  const idleMs = options.idleTimeoutMs ?? AN_HOUR_MS;
  const limits: Agent.Options = {
    connect: { timeout: connectTimeoutMs },
    headersTimeout: options.firstByteTimeoutMs ?? AN_HOUR_MS,
    bodyTimeout: idleMs,
    keepAliveTimeout: options.keepAliveMs ?? 4_000,
    maxHeaderSize: options.maxHeaderBytes ?? MAX_HEADER,
    factory: (origin: string | URL, own: object) => new Pool(origin, { ...own, factory: tellingClient }),
  };
  const takePlace = upstreamPlaces(most, options.upstreamWaitMs ?? 5_000);
  const agent = upstreamAgent(limits, connectTimeoutMs);
  const fresh = upstreamAgent({ ...limits, pipelining: 0 }, connectTimeoutMs);
  return {
    accept,
    take: (incoming, outgoing, run) =>
      void runToEnd(nodeExchange(incoming, outgoing, originForm(incoming.url ?? "/")), outgoing, run),
    takeUpgrade: tunnels(most, idleMs),
    send: (request, sink) => relay({ agent, fresh, takePlace }, request, sink),
    decode: decoded,
    close: async () => void (await Promise.all([agent.destroy(), fresh.destroy()])),
  };
}

const DECODERS: ReadonlyMap<string, typeof zlib.gunzip | undefined> = new Map([
  ["gzip", zlib.gunzip],
  ["deflate", zlib.inflate],
  ["deflate-raw", zlib.inflateRaw],
  ["br", zlib.brotliDecompress],
  // From Node 22.15 on.
  ["zstd", Reflect.get(zlib, "zstdDecompress")],
]);

function decoded(coding: string, bytes: Uint8Array, most: number): Promise<Uint8Array | undefined> {
  const decode = DECODERS.get(coding);
  return new Promise((resolve) => {
    if (decode === undefined) resolve(undefined);
    // An error: bytes of no such coding, or of more than is read.
    else decode(bytes, { maxOutputLength: most }, (error, plain) => resolve(error === null ? plain : undefined));
  });
}

async function accept(context: Context, run: RunExchange): Promise<Response> {
  const { incoming, outgoing } = context.env ?? {};
  if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse))
    throw new UnloopError(
      "bad_setting",
      "The transport `nodeTransport` works under @hono/node-server over HTTP/1.1 only; choose `webTransport` elsewhere.",
    );
  const exchange = nodeExchange(incoming, outgoing, targetBehindMount(context, incoming.url ?? "/"));
  if (incoming.method !== "HEAD") return runToEnd(exchange, outgoing, run).then(() => RESPONSE_ALREADY_SENT);
  // Hono wraps what it gets for HEAD in a new Response; where that is node-server's own, it sends the head a second time.
  let response = new Response(null, { status: 500 });
  const head: typeof exchange.answer.head = (status, fields) => {
    response = new Response(null, { status, headers: toHeaders(fields) });
  };
  const answer = { head, write: () => undefined, end: () => undefined, fail: () => undefined };
  await run({ ...exchange, answer }).catch(() => undefined);
  return response;
}

/** A proxy on the way out would send these to itself. */
const THIS_MACHINE = "localhost,127.0.0.1,[::1]";

/**
 * The way to upstreams: through the proxy that HTTP_PROXY and HTTPS_PROXY name, but for the hosts in NO_PROXY and for this machine.
 * @param connectTimeoutMs also for the proxy's answer to CONNECT @throws UnloopError `bad_setting` for a variable that is no URL
 */
function upstreamAgent(options: Agent.Options, connectTimeoutMs: number, env = process.env): Dispatcher {
  const httpProxy = env.http_proxy || env.HTTP_PROXY || "";
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY || httpProxy;
  if (httpProxy === "" && httpsProxy === "") return new Agent(options);
  // Its value may hold a password.
  if (![httpProxy, httpsProxy].every((url) => url === "" || (URL.canParse(url) && /^https?:/i.test(url))))
    throw new UnloopError("bad_setting", "HTTP_PROXY or HTTPS_PROXY has no URL of a proxy: write http://HOST:PORT.");
  const exempt = env.no_proxy || env.NO_PROXY || "";
  const limits = {
    factory: (origin: string | URL, own: object) => new Pool(origin, { ...options, ...own, factory: tellingClient }),
    clientFactory: (origin: URL, own: object) => new Pool(origin, { ...own, headersTimeout: connectTimeoutMs }),
    proxyTls: { timeout: connectTimeoutMs },
    // Plain HTTP is asked for by its whole URL: few proxies connect to other ports than 443.
    proxyTunnel: false,
  };
  const noProxy = exempt === "*" ? exempt : `${exempt},${THIS_MACHINE}`;
  return new EnvHttpProxyAgent({ ...options, ...limits, httpProxy, httpsProxy, noProxy });
}

/** Tells whether an address is one of these, or in one of these networks (`10.0.0.0/24`). IPv4 counts in its IPv6 form, too. */
export function matchAddress(networks: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    if (bits === undefined) known.addAddress(address, familyOf(address));
    else known.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => known.check(address, familyOf(address));
}
