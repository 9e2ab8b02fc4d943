import type { Context } from "hono";
import { UnloopError } from "../errors.ts";
import { joinBytes } from "../text/bytes.ts";
import { declaredLength, fromHeaders, webSend, type WebSendOptions } from "./web-send.ts";
import { mountOf, originForm, targetBehindMount } from "./target.ts";
import {
  type Abortable,
  abortable,
  AN_HOUR_MS,
  type Exchange,
  type Incoming,
  readBefore,
  type Signal,
  type Transport,
} from "./transport.ts";
import { type LastWords, webAnswer } from "./web-answer.ts";

export interface WebTransportOptions extends Partial<WebSendOptions> {
  /** For platforms that show an answer which breaks off as one that ends. Such an answer ends with these bytes. */
  readonly lastWords?: LastWords;
}

/** Moves bytes with Request, Response and fetch, on any runtime. */
export function webTransport({ lastWords = () => undefined, ...options }: WebTransportOptions = {}): Transport {
  const send = webSend({
    // Called through a function: some runtimes refuse a `fetch` that is detached from its global.
    fetch: (url, init) => fetch(url, init),
    firstByteTimeoutMs: AN_HOUR_MS,
    idleTimeoutMs: AN_HOUR_MS,
    ...options,
  });
  return { accept: (context, run) => accept(context, run, lastWords), send, close: async () => undefined };
}

function accept(context: Context, run: (exchange: Exchange) => Promise<void>, lastWords: LastWords): Promise<Response> {
  return new Promise((resolve, reject) => {
    const gone = abortable();
    const answer = webAnswer(context.req.method, resolve, () => leave(gone), lastWords);
    const { signal } = context.req.raw;
    const hangUp = () => {
      leave(gone);
      // Hono waits for a response, though this one is never read.
      resolve(new Response(null, { status: 499 }));
    };
    if (signal.aborted) hangUp();
    else signal.addEventListener("abort", hangUp, { once: true });
    const done = run({ ...incomingSide(context, gone), answer }).then(
      () => reject(answer.failure()),
      (error: unknown) => {
        answer.fail(error);
        reject(error);
      },
    );
    outliveResponse(context, done);
  });
}

function leave(gone: Abortable): void {
  gone.abort(new UnloopError("client_gone", "The client hung up before its answer was complete."));
}

function outliveResponse(context: Context, done: Promise<void>): void {
  try {
    context.executionCtx.waitUntil(done);
  } catch {
    // Hono throws where there is no execution context; there nothing ends a promise early either.
  }
}

function incomingSide(context: Context, gone: Signal): Incoming {
  const request = context.req.raw;
  const fields = fromHeaders(request.headers);
  const target = targetBehindMount(context, request.url);
  return {
    method: request.method,
    target,
    mount: mountOf(originForm(request.url), target),
    fields,
    gone,
    body: (limitBytes, onBytes) =>
      readBody(bodyOf(context), declaredLength(fields) ?? 0, { limitBytes, onBytes }, gone),
    stream: () => bodyOf(context) ?? undefined,
  };
}

/** Hono keeps a body that middleware has asked it for; what middleware took from the request itself is gone. */
function bodyOf({ req }: Context): ReadableStream<Uint8Array> | null {
  if (!req.raw.bodyUsed) return req.raw.body;
  const { text, arrayBuffer, blob } = req.bodyCache;
  if (text === undefined && arrayBuffer === undefined && blob === undefined) throw readBefore();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(await req.arrayBuffer()));
      controller.close();
    },
  });
}

async function readBody(
  body: ReadableStream<Uint8Array> | null,
  declaredBytes: number,
  { limitBytes, onBytes }: { readonly limitBytes: number; readonly onBytes: ((bytes: number) => void) | undefined },
  gone: Signal,
): Promise<Uint8Array> {
  const tooLarge = () => new UnloopError("body_too_large", `The request body is larger than ${limitBytes} bytes.`);
  if (declaredBytes > limitBytes) throw tooLarge();
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limitBytes) throw tooLarge();
      onBytes?.(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    throw gone.aborted ? gone.reason : error;
  } finally {
    // Not cancelled: that would close the connection on which the answer is still due.
    reader?.releaseLock();
  }
  // Under a server of Node, another parser leaves nothing of what the client declared.
  if (size === 0 && declaredBytes > 0) throw readBefore();
  return joinBytes(chunks);
}
