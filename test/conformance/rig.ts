import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import type { Duplex } from "node:stream";
import { startGuard } from "../support/servers/guarded.ts";
import { closing, listening } from "../support/servers/http.ts";

/** An upstream, and a guard in front of it as a server runs one. */
export interface Ways {
  readonly upstream: string;
  readonly guard: string;
  /** Requests that the upstream has had. */
  readonly arrived: readonly Arrived[];
  drain(): Promise<void>;
}

export interface Arrived {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly fields: IncomingMessage["headers"];
  readonly bytes: Buffer;
  readonly port: number | undefined;
}

/** @param env settings of the guard, by name @param base what stands behind the upstream's origin in them */
export async function ways(
  listener: RequestListener,
  env: Readonly<Record<string, string>> = {},
  base = "",
  onUpgrade?: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Ways> {
  const arrived: Arrived[] = [];
  const server = createServer({ maxHeaderSize: 1 << 20 }, (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming
      .on("error", () => undefined)
      .on("data", (piece) => pieces.push(piece))
      .on("end", () => {
        const { method, url: target, headers: fields, socket } = incoming;
        arrived.push({ method, target, fields, bytes: Buffer.concat(pieces), port: socket.remotePort });
        listener(incoming, outgoing);
      });
  });
  if (onUpgrade !== undefined) server.on("upgrade", onUpgrade);
  const upstream = await listening(server);
  const { url: guard, close } = await startGuard({ upstream: upstream + base, env });
  onTestFinished(async () => {
    await close();
    await closing(server);
  });
  return { upstream, guard, arrived, drain: close };
}

/** What a client gets for one request. */
export interface Heard {
  readonly status: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly end: "whole" | "broken off";
}

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export function ask(
  url: string,
  { method = "POST", path, fields = {}, body = "" }: Asked,
  agent?: import("node:http").Agent,
): Promise<Heard> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...fields };
    const outgoing = request(
      { hostname, port, path, method, headers, agent: agent ?? false, maxHeaderSize: 1 << 20 },
      (answer) => {
        const pieces: Buffer[] = [];
        const heard = (end: Heard["end"]) => () =>
          resolve({ status: answer.statusCode, fields: answer.headers, bytes: Buffer.concat(pieces), end });
        answer
          .on("data", (piece) => pieces.push(piece))
          .on("end", heard("whole"))
          .on("error", heard("broken off"));
      },
    );
    outgoing.on("error", reject).end(body);
  });
}

/** What has come on a connection, once it holds this. */
export function conversation(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let heard = Buffer.of();
  socket.on("data", (bytes) => {
    heard = Buffer.concat([heard, bytes]);
  });
  const until = async (text: string | Buffer) => {
    while (!heard.includes(text)) await once(socket, "data");
    return heard;
  };
  return { socket, until };
}

/** Fields of one connection, or of the guard itself. */
const OWN = /^(x-unloop-.*|server-timing|date|connection|keep-alive|transfer-encoding|content-length)$/;

/** The same request both ways, without what the guard alone says. */
export async function bothWays({ upstream, guard }: Ways, asked: Asked): Promise<readonly [Heard, Heard]> {
  const plain = ({ fields, ...heard }: Heard): Heard => ({
    ...heard,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.test(name))),
  });
  return [plain(await ask(upstream, asked)), plain(await ask(guard, asked))];
}

/** A request of each guarded format, streamed. */
export const streamedRequests = [
  {
    wire: "chat",
    path: "/v1/chat/completions",
    body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}',
  },
  { wire: "responses", path: "/v1/responses", body: '{"model":"m","stream":true,"input":"hi"}' },
  {
    wire: "messages",
    path: "/v1/messages",
    body: '{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}',
  },
  {
    wire: "gemini",
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
  },
  { wire: "ollama", path: "/api/chat", body: '{"model":"m","messages":[{"role":"user","content":"hi"}]}' },
] as const;

/** A chat history of so many laps in which the same call has the same result each time. */
export function loopOf(laps: number, extra: object = {}): string {
  const messages: unknown[] = [
    { role: "system", content: "You read files." },
    { role: "user", content: "What does the configuration say?" },
  ];
  for (let i = 0; i < laps; i++) {
    const called = { name: "read_file", arguments: '{"path":"conf/app.yaml"}' };
    messages.push(
      { role: "assistant", content: null, tool_calls: [{ id: `call_${i}`, type: "function", function: called }] },
      { role: "tool", tool_call_id: `call_${i}`, content: "port: 8080" },
    );
  }
  return JSON.stringify({ model: "m", ...extra, messages });
}
