import type { Context } from "hono";
import { joinBytes } from "../text/bytes.ts";
import {
  abortable,
  AN_HOUR_MS,
  type AnswerSink,
  type BodyLimits,
  type BodyStream,
  clientGone,
  type Fields,
  type Incoming,
  mountOf,
  originForm,
  pushStream,
  readBefore,
  takeBody,
  type RunExchange,
  type Signal,
  targetBehindMount,
  type Transport,
} from "./transport.ts";
import { declaredLength, fromHeaders, toHeaders, webSend, type WebSendOptions } from "./web-send.ts";

export interface WebTransportOptions extends Partial<WebSendOptions>, Partial<WebAnswerTerms> {}

export interface WebTransport extends Transport {
  /** Hands the exchange behind a request to `run` without Hono. @param outlive keeps the platform from ending what goes on behind the answer */
  take(request: Request, run: RunExchange, outlive: (work: Promise<void>) => void): Promise<Response>;
}

/** Moves bytes with Request, Response and fetch, on any runtime. */
export function webTransport(options: WebTransportOptions = {}): WebTransport {
  const send = webSend({
    // Called through a function: some runtimes refuse a `fetch` that is detached from its global.
    fetch: (url, init) => fetch(url, init),
    firstByteTimeoutMs: AN_HOUR_MS,
    idleTimeoutMs: AN_HOUR_MS,
    ...options,
  });
  return {
    accept(context, run) {
      const target = targetBehindMount(context, context.req.raw.url);
      const asked = { request: context.req.raw, target, body: () => bodyOf(context) };
      return answered(asked, run, options, (work) => {
        try {
          context.executionCtx.waitUntil(work);
        } catch {
          // Hono throws where there is no execution context; there nothing ends a promise early either.
        }
      });
    },
    take: (request, run, outlive) =>
      answered(
        { request, target: originForm(request.url), body: () => request.body ?? undefined },
        run,
        options,
        outlive,
      ),
    send,
    decode: decoded,
    close: async () => undefined,
  };
}

interface Asked {
  readonly request: Request;
  readonly target: string;
  readonly body: () => ReadableStream<Uint8Array> | undefined;
}

function answered(
  asked: Asked,
  run: RunExchange,
  terms: Partial<WebAnswerTerms>,
  outlive: (work: Promise<void>) => void,
): Promise<Response> {
  return new Promise((resolve) => {
    const gone = abortable();
    const leave = () => gone.abort(clientGone());
    const { method, signal } = asked.request;
    const answer = webAnswer(method, resolve, leave, terms);
    const hangUp = () => {
      leave();
      // The platform waits for a response, though this one is never read.
      resolve(new Response(null, { status: 499 }));
    };
    if (signal.aborted) hangUp();
    else signal.addEventListener("abort", hangUp, { once: true });
    const done = run({ answer, ...incomingSide(asked, gone) })
      .catch((error: unknown) => answer.fail(error))
      // What has been answered stays.
      .then(() => resolve(new Response(null, { status: 500 })));
    outlive(done);
  });
}

function incomingSide({ request, target, body }: Asked, gone: Signal): Incoming {
  const fields = fromHeaders(request.headers);
  return {
    method: request.method,
    target,
    mount: mountOf(originForm(request.url), target),
    fields,
    gone,
    body: (limits) => bodyWithin(body(), declaredLength(fields) ?? 0, limits, gone),
    stream: body,
  };
}

/** Hono keeps a body that middleware has asked it for; what middleware took from the request itself is gone. */
function bodyOf({ req }: Context): ReadableStream<Uint8Array> | undefined {
  if (!req.raw.bodyUsed) return req.raw.body ?? undefined;
  const { text, arrayBuffer, blob } = req.bodyCache;
  if (text === undefined && arrayBuffer === undefined && blob === undefined) throw readBefore();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(await req.arrayBuffer()));
      controller.close();
    },
  });
}

async function bodyWithin(
  body: ReadableStream<Uint8Array> | undefined,
  declared: number,
  limits: BodyLimits,
  gone: Signal,
): Promise<Uint8Array | BodyStream> {
  // Not cancelled: that would close the connection on which the answer is still due.
  const pieces = { [Symbol.asyncIterator]: () => (body ?? new Blob().stream()).values({ preventCancel: true }) };
  const read = await takeBody(pieces, declared, limits, gone);
  // Under a server of Node, another parser leaves nothing of what the client declared.
  if (read instanceof Uint8Array && read.byteLength === 0 && declared > 0) throw readBefore();
  return read === pieces && body !== undefined ? body : read;
}

/** As far as the platform knows the coding; it throws at Brotli and Zstandard. */
async function decoded(coding: string, bytes: Uint8Array, most: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    const format = new DecompressionStream(coding as CompressionFormat);
    const plain = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(format);
    for await (const piece of plain) {
      size += piece.byteLength;
      if (size > most) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return joinBytes(pieces);
}

const BUFFERED_BYTES = 64 * 1024;
const BODILESS = new Set([101, 103, 204, 205, 304]);

interface WebAnswerTerms {
  /** For platforms that show an answer which breaks off as one that ends: with such a head it ends with these bytes. */
  readonly lastWords: (fields: Fields) => Uint8Array | undefined;
  /** The platform joins the WebSocket of a Response with one that `fetch` has brought. */
  readonly joinsWebSockets: boolean;
}

/** An answer as a Response, made when the head comes; `left` is called when its reader cancels the body. */
function webAnswer(
  method: string,
  respond: (response: Response) => void,
  left: () => void,
  { lastWords, joinsWebSockets }: Partial<WebAnswerTerms>,
): AnswerSink {
  let body: ReturnType<typeof pushStream<Uint8Array>> | undefined;
  let last: Uint8Array | undefined;

  return {
    head(status, fields) {
      const hasBody = method !== "HEAD" && !BODILESS.has(status);
      if (hasBody)
        body = pushStream<Uint8Array>(left, new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }));
      last = lastWords?.(fields);
      respond(new Response(body?.readable ?? null, { status, headers: toHeaders(fields) }));
    },
    write: (bytes) => body?.write(bytes),
    end: () => body?.end(),
    fail(reason) {
      // What is queued is lost with an error, so last words end the stream in its place.
      if (last === undefined) return body?.fail(reason);
      void body?.write(last);
      body?.end();
    },
    ...(joinsWebSockets && {
      tunnel(fields: Fields, webSocket: unknown) {
        const joined = { status: 101, headers: toHeaders(fields), webSocket };
        respond(new Response(null, joined));
      },
    }),
  };
}
