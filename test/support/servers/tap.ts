import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { bodyOf, closing, listening } from "./http.ts";

export interface Tap {
  readonly url: string;
  readonly exchanges: readonly TappedExchange[];
  close(): Promise<void>;
}

export interface TappedExchange {
  readonly method: string;
  readonly bytes: Buffer;
  readonly fields: IncomingHttpHeaders;
  /** Status, header and body of the answer; empty as long as none came. */
  readonly status: number | undefined;
  readonly answerFields: IncomingHttpHeaders;
  readonly answer: Buffer;
}

type Recording = { -readonly [Key in keyof TappedExchange]: TappedExchange[Key] };

export async function tap(target: string): Promise<Tap> {
  const exchanges: Recording[] = [];
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const bytes = await bodyOf(incoming);
    const recording: Recording = {
      method: incoming.method ?? "",
      bytes,
      fields: incoming.headers,
      status: undefined,
      answerFields: {},
      answer: Buffer.of(),
    };
    exchanges.push(recording);
    const upstream = await ask(new URL(incoming.url ?? "/", target), incoming, bytes, response);
    recording.status = upstream.statusCode;
    recording.answerFields = upstream.headers;
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    response.flushHeaders();
    upstream.on("data", (piece: Buffer) => {
      recording.answer = Buffer.concat([recording.answer, piece]);
    });
    await pipeline(upstream, response);
  };
  const server = createServer((incoming, response) => {
    // Whatever breaks on one side is shown to the other as a broken connection.
    pass(incoming, response).catch(() => response.destroy());
  });
  return { url: await listening(server), exchanges, close: () => closing(server) };
}

function ask(url: URL, incoming: IncomingMessage, bytes: Buffer, client: ServerResponse): Promise<IncomingMessage> {
  const { host: _, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: incoming.method ?? "GET", headers, agent: false }, resolve);
    outgoing.on("error", reject);
    client.on("close", () => outgoing.destroy());
    outgoing.end(bytes);
  });
}
