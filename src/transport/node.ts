import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { IncomingMessage, ServerResponse } from "node:http";
import { Agent } from "undici";
import { UnloopError } from "../errors.ts";
import { declaredLength, toHeaders } from "./fields.ts";
import { nodeAnswer } from "./node-answer.ts";
import { relay } from "./node-relay.ts";
import { targetBehindMount } from "./target.ts";
import {
  type AnswerSink,
  type BodyStream,
  type Exchange,
  type Incoming,
  type Transport,
  unanswered,
} from "./transport.ts";

export interface NodeTransportOptions {
  readonly connectTimeoutMs?: number;
  /** Long by default: a reasoning model without streaming says nothing until it is done. */
  readonly firstByteTimeoutMs?: number;
  /** The longest silence within an answer. */
  readonly idleTimeoutMs?: number;
  /** Connections to one upstream at a time; exchanges beyond that wait for one to become free. */
  readonly connections?: number;
  /** How long an unused connection is kept. Short by default: uvicorn (vLLM and others) closes its own after 5 s. */
  readonly keepAliveMs?: number;
}

/**
 * Moves bytes between node's own request and response objects and undici, without web streams: they triple the cost.
 * Works under @hono/node-server only.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const agent = new Agent({
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
    headersTimeout: options.firstByteTimeoutMs ?? 600_000,
    bodyTimeout: options.idleTimeoutMs ?? 300_000,
    keepAliveTimeout: options.keepAliveMs ?? 4_000,
    connections: options.connections ?? 1_024,
  });
  return {
    accept,
    send: (request, sink) => relay(agent, request, sink),
    close: () => agent.destroy(),
  };
}

async function accept(context: Context, run: (exchange: Exchange) => Promise<void>): Promise<Response> {
  const { incoming, outgoing } = nodeObjects(context);
  const gone = goneSignal(incoming, outgoing);
  const exchange = incomingSide(context, incoming, gone);
  if (incoming.method === "HEAD") return acceptHead(exchange, run);
  const answer = nodeAnswer(incoming, outgoing);
  try {
    await run({ ...exchange, answer });
  } catch (error) {
    if (!outgoing.headersSent && !gone.aborted) throw error;
    answer.fail(error);
  }
  if (!outgoing.headersSent && !gone.aborted) throw answer.failure();
  return RESPONSE_ALREADY_SENT;
}

/**
 * Hono wraps what it gets for a HEAD request in a new Response, and node-server would then send the head a second time;
 * so here, where there is no body to carry, it gets a Response.
 */
async function acceptHead(incoming: Incoming, run: (exchange: Exchange) => Promise<void>): Promise<Response> {
  let response: Response | undefined;
  let failure: unknown;
  const answer: AnswerSink = {
    head(status, fields) {
      response = new Response(null, { status, headers: toHeaders(fields) });
    },
    write: () => undefined,
    end() {},
    fail(reason) {
      failure = reason;
    },
  };
  await run({ ...incoming, answer });
  if (response !== undefined) return response;
  if (incoming.gone.aborted) return RESPONSE_ALREADY_SENT;
  throw failure ?? unanswered();
}

function nodeObjects(context: Context): { incoming: IncomingMessage; outgoing: ServerResponse } {
  const { incoming, outgoing } = context.env ?? {};
  if (incoming instanceof IncomingMessage && outgoing instanceof ServerResponse) return { incoming, outgoing };
  throw new UnloopError(
    "bad_setting",
    "The transport `nodeTransport` works under @hono/node-server over HTTP/1.1 only; choose `webTransport` elsewhere.",
  );
}

function incomingSide(context: Context, incoming: IncomingMessage, gone: AbortSignal): Incoming {
  return {
    method: incoming.method ?? "GET",
    target: targetBehindMount(context, incoming.url ?? "/"),
    fields: incoming.headers,
    gone,
    body: (limitBytes) => readBody(incoming, limitBytes, gone),
    stream: () => bodyStream(incoming),
  };
}

function goneSignal(incoming: IncomingMessage, outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const leave = () => gone.abort(new UnloopError("client_gone", "The client hung up before its answer was complete."));
  // The client's socket failing is the client hanging up, and `close` says so; unheard, the event would end the process.
  incoming.on("error", () => undefined);
  outgoing.on("error", () => undefined);
  if (outgoing.destroyed || incoming.socket.destroyed) leave();
  else
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) leave();
    });
  return gone.signal;
}

function bodyStream(incoming: IncomingMessage): BodyStream | undefined {
  const { headers } = incoming;
  if (headers["transfer-encoding"] === undefined && (declaredLength(headers) ?? 0) === 0) return undefined;
  // Given the stream itself, undici destroys it when the upstream fails; what the client still sends of it would then stand in
  // the way of its next request.
  return incoming.iterator({ destroyOnReturn: false });
}

function readBody(incoming: IncomingMessage, limitBytes: number, gone: AbortSignal): Promise<Uint8Array> {
  const tooLarge = () => new UnloopError("body_too_large", `The request body is larger than ${limitBytes} bytes.`);
  if ((declaredLength(incoming.headers) ?? 0) > limitBytes) return Promise.reject(tooLarge());
  if (gone.aborted) return Promise.reject(gone.reason);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      incoming.off("data", take).off("end", finish);
      gone.removeEventListener("abort", giveUp);
    };
    const take = (chunk: Buffer) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= limitBytes) return;
      stop();
      // What is left is drained by node-server, within bounds, once the answer is out.
      incoming.pause();
      reject(tooLarge());
    };
    const finish = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    };
    const giveUp = () => {
      stop();
      reject(gone.reason);
    };
    incoming.on("data", take).on("end", finish);
    gone.addEventListener("abort", giveUp);
  });
}
