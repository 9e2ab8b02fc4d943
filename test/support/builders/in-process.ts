import { assembledGuard } from "../../../src/assembled-guard.ts";
import { guardApp } from "../../../src/guard-app.ts";
import { type Guard, memoryStores, type Transport, type UnloopOptions, webTransport } from "../../../src/index.ts";
import { areInMemory } from "../../../src/store/memory/memory.ts";

export interface Asked {
  readonly target: string;
  readonly body: string;
  readonly bytes: Buffer;
  readonly headers: Headers;
  /** Aborted when the guard does not want the answer any more. */
  readonly signal: AbortSignal;
}

/** The library's options, and how many steps of live threads are remembered, which no setting says. */
export type RigOptions = UnloopOptions;
export type MakeGuard = (options: RigOptions & { readonly transport: Transport }) => Guard;

export const assembled: MakeGuard = ({ stores = memoryStores(), ...options }) =>
  assembledGuard({ ...options, stores }, areInMemory);

/**
 * The whole guard without sockets: what a client's `fetch` would reach, in front of whatever answers.
 * @param answer may reject: then upstream is not reachable
 */
export function inProcess(
  answer: (asked: Asked, index: number) => Response | Promise<Response>,
  options: RigOptions = {},
  make: MakeGuard = assembled,
) {
  const asked: Asked[] = [];
  const transport = webTransport({
    async fetch(url, { body, headers, signal }) {
      const { pathname, search } = new URL(String(url));
      const bytes = Buffer.from(body as Uint8Array);
      const one = {
        target: pathname + search,
        body: bytes.toString(),
        bytes,
        headers: new Headers(headers),
        signal: signal ?? new AbortController().signal,
      };
      return answer(one, asked.push(one) - 1);
    },
  });
  const app = guardApp(make({ upstream: "http://upstream.invalid", transport, ...options }), transport);
  return { asked, fetch: async (url: string | URL | Request, init?: RequestInit) => app.request(url, init) };
}

export const eventStream = { "content-type": "text/event-stream" };

/** A body in pieces; it breaks off after them if there is a reason. */
export function inPieces(pieces: readonly (Uint8Array | string)[], broken?: Error): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = pieces[next++];
        if (piece !== undefined) {
          const bytes = Buffer.from(piece);
          if (bytes.length > 0) controller.enqueue(bytes);
          else this.pull?.(controller);
        } else if (broken === undefined) controller.close();
        else controller.error(broken);
      },
    },
    { highWaterMark: 0 },
  );
}
