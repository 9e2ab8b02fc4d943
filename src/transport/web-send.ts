import { UnloopError } from "../errors.ts";
import {
  type AnswerSink,
  type BodyStream,
  type Fields,
  type Transport,
  type UpstreamRequest,
  withoutFields,
} from "./transport.ts";

export interface WebSendOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

export function webSend({ fetch, firstByteTimeoutMs, idleTimeoutMs }: WebSendOptions): Transport["send"] {
  return async (request, sink) => {
    const { origin, signal } = request;
    if (signal.aborted) throw signal.reason;
    const ending = new AbortController();
    const leave = () => ending.abort(signal.reason);
    signal.addEventListener("abort", leave);
    let patience: ReturnType<typeof setTimeout> | undefined;
    const wait = (ms?: number) => {
      clearTimeout(patience);
      const late = () =>
        new UnloopError("upstream_timeout", "The upstream did not answer in time.", { facts: { origin } });
      if (ms !== undefined) patience = setTimeout(() => ending.abort(late()), ms);
    };
    try {
      wait(firstByteTimeoutMs);
      const response = await fetch(origin + request.path, requestInit(request, ending.signal)).catch(
        (cause: unknown) => {
          throw ending.signal.aborted ? ending.signal.reason : unreachable(origin, cause);
        },
      );
      request.sent?.();
      await pass(response, sink, ending, (isReading) => wait(isReading ? idleTimeoutMs : undefined));
    } finally {
      wait();
      signal.removeEventListener("abort", leave);
    }
  };
}

async function pass(
  response: Response,
  sink: AnswerSink,
  ending: AbortController,
  wait: (isReading: boolean) => void,
): Promise<void> {
  try {
    if (response.status === 101 && "webSocket" in response)
      return sink.tunnel?.(answerFields(response), response.webSocket);
    sink.head(response.status, answerFields(response));
    const reader = response.body?.getReader();
    while (reader !== undefined) {
      wait(true);
      const { done, value } = await reader.read();
      wait(false);
      if (done) break;
      const ready = sink.write(value);
      if (ready !== undefined) await ready;
    }
    sink.end();
  } catch (error) {
    // A sink that cannot take the rest ends the request; one that was ended already keeps its own reason.
    ending.abort(error);
    sink.fail(ending.signal.reason);
  }
}

function requestInit(request: UpstreamRequest, signal: AbortSignal): RequestInit {
  const headers = toHeaders(request.fields);
  // Left out, fetch would ask for a compressed answer on its own.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  if (request.upgrade !== undefined) headers.set("upgrade", request.upgrade);
  const init = { method: request.method, headers, redirect: "manual", signal } as const;
  if (request.body === undefined) return init;
  // Node's fetch takes a stream with this option only; elsewhere it is without meaning.
  const streamed = { body: bodyInit(request.body), duplex: "half", ...init };
  return streamed;
}

function bodyInit(body: Uint8Array | BodyStream): BodyInit {
  if (body instanceof ReadableStream) return body;
  // Request bodies are never shared memory, the one thing that fetch does not take.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
}

// fetch has decoded the body already, so its coding and its length describe something that no longer exists.
function answerFields(response: Response): Fields {
  const fields = fromHeaders(response.headers);
  const isDecoded = fields["content-encoding"] !== undefined && response.body !== null;
  return isDecoded ? withoutFields(fields, "content-encoding", "content-length") : fields;
}

export function unreachable(origin: string, cause: unknown): UnloopError {
  const message = `The upstream could not be reached (${codeOf(cause)}).`;
  return new UnloopError("upstream_unreachable", message, { cause, facts: { origin } });
}

export function codeOf(error: unknown): string {
  // A host with several addresses fails with all their errors at once; the first says enough.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

/** No field: the words behind the status of an answer, where they are not the usual ones. */
export const REASON = ":reason";

/** Names and values in turn, as node and undici take them; a field that came several times is there several times. */
export function toPairs(fields: Fields): string[] {
  const pairs: string[] = [];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (name === REASON) continue;
    if (typeof value === "string") pairs.push(name, value);
    else for (const one of value ?? []) pairs.push(name, one);
  }
  return pairs;
}

export function toHeaders(fields: Fields): Headers {
  const [headers, pairs] = [new Headers(), toPairs(fields)];
  for (let at = 0; at < pairs.length; at += 2) headers.append(pairs[at] ?? "", pairs[at + 1] ?? "");
  return headers;
}

export function fromHeaders(headers: Headers): Fields {
  const cookies = headers.getSetCookie();
  return Object.assign(Object.fromEntries(headers), cookies.length > 0 && { "set-cookie": cookies });
}

export function declaredLength(fields: Fields): number | undefined {
  const value = fields["content-length"];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
