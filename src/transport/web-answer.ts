import { toHeaders } from "./web-send.ts";
import { type AnswerSink, type Fields, unanswered } from "./transport.ts";

const BUFFERED_BYTES = 64 * 1024;
const BODILESS = new Set([101, 103, 204, 205, 304]);

export interface WebAnswer extends AnswerSink {
  /** Why there is no head; the caller tells the client. */
  failure(): unknown;
}

/** What is written into an answer with this head before it breaks off; undefined for nothing. */
export type LastWords = (fields: Fields) => Uint8Array | undefined;

export interface WebAnswerTerms {
  /** For platforms that show an answer which breaks off as one that ends: it ends with these bytes. */
  readonly lastWords: LastWords;
  /** The platform joins the WebSocket of a Response with one that `fetch` has brought. */
  readonly joinsWebSockets: boolean;
}

/** An answer as a Response, made when the head comes; `left` is called when its reader cancels the body. */
export function webAnswer(
  method: string,
  respond: (response: Response) => void,
  left: () => void,
  { lastWords, joinsWebSockets }: WebAnswerTerms,
): WebAnswer {
  let failure: { readonly reason: unknown } | undefined;
  let begun = false;
  let body: WebBody | undefined;
  const over = () => {
    body = undefined;
  };

  return {
    head(status, fields) {
      begun = true;
      const hasBody = method !== "HEAD" && !BODILESS.has(status);
      if (hasBody) body = webBody(() => [over(), left()], lastWords(fields));
      respond(new Response(body?.stream ?? null, { status, headers: toHeaders(fields) }));
    },
    write: (bytes) => body?.write(bytes),
    end() {
      body?.end();
      over();
    },
    fail(reason) {
      if (!begun) failure = { reason };
      body?.fail(reason);
      over();
    },
    ...(joinsWebSockets && {
      tunnel(fields: Fields, webSocket: unknown) {
        const joined = { status: 101, headers: toHeaders(fields), webSocket };
        respond(new Response(null, joined));
      },
    }),
    failure: () => (failure === undefined ? unanswered() : failure.reason),
  };
}

interface WebBody {
  readonly stream: ReadableStream<Uint8Array>;
  write(bytes: Uint8Array): Promise<void> | undefined;
  end(): void;
  fail(reason: unknown): void;
}

function webBody(cancelled: () => void, lastWords: Uint8Array | undefined): WebBody {
  const patient: (() => void)[] = [];
  const release = () => {
    for (const resolve of patient.splice(0)) resolve();
  };
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      pull: release,
      cancel() {
        cancelled();
        release();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
  return {
    stream,
    write(bytes) {
      controller?.enqueue(bytes);
      if ((controller?.desiredSize ?? 1) > 0) return undefined;
      return new Promise((resolve) => patient.push(resolve));
    },
    end: () => controller?.close(),
    fail(reason) {
      // What is queued is lost with an error, so last words end the stream in its place.
      if (lastWords === undefined) controller?.error(reason);
      else {
        controller?.enqueue(lastWords);
        controller?.close();
      }
      release();
    },
  };
}
