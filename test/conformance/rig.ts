import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import type { Duplex } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { chatBody, laps, user } from "../support/builders/chat-history.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { closing, listening } from "../support/servers/http.ts";

/** An upstream, the requests that it has had, and a guard in front of it as a server runs one. @param env the guard's settings */
export async function ways(
  listener: RequestListener,
  env: Readonly<Record<string, string>> = {},
  onUpgrade?: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void,
) {
  const arrived: { readonly target: string; readonly fields: IncomingMessage["headers"]; readonly bytes: Buffer }[] =
    [];
  const server = createServer({ maxHeaderSize: 1 << 20 }, (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming
      .on("error", () => undefined)
      .on("data", (piece) => pieces.push(piece))
      .on("end", () => {
        const { url: target = "", headers: fields } = incoming;
        arrived.push({ target, fields, bytes: Buffer.concat(pieces) });
        listener(incoming, outgoing);
      });
  });
  if (onUpgrade !== undefined) server.on("upgrade", onUpgrade);
  const upstream = await listening(server);
  const { url: guard, close: drain } = await startGuard({ upstream, env });
  onTestFinished(async () => {
    await drain();
    await closing(server);
  });
  return { upstream, guard, arrived, drain };
}

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Heard {
  readonly status: number | undefined;
  readonly reason?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly end: "whole" | "broken off";
}

export function ask(url: string, { method = "POST", path, fields = {}, body = "" }: Asked): Promise<Heard> {
  const { hostname, port } = new URL(url);
  const headers = { "content-type": "application/json", ...fields };
  const asking = { hostname, port, path, method, headers, agent: false, maxHeaderSize: 1 << 20 };
  return new Promise((resolve, reject) => {
    const outgoing = request(asking, (answer) => {
      const pieces: Buffer[] = [];
      const heard = (end: Heard["end"]) => () =>
        resolve({
          status: answer.statusCode,
          reason: answer.statusMessage,
          fields: answer.headers,
          bytes: Buffer.concat(pieces),
          end,
        });
      answer
        .on("data", (piece) => pieces.push(piece))
        .on("end", heard("whole"))
        .on("error", heard("broken off"));
    });
    outgoing.on("error", reject).end(body);
  });
}

/** Fields of one connection, or of the guard itself. */
const OWN = /^(x-unloop-.*|server-timing|date|connection|keep-alive|transfer-encoding|content-length)$/;

export async function bothWays(to: { readonly upstream: string; readonly guard: string }, asked: Asked) {
  const plain = ({ fields, ...heard }: Heard): Heard => ({
    ...heard,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.test(name))),
  });
  return [plain(await ask(to.upstream, asked)), plain(await ask(to.guard, asked))] as const;
}

export async function expectSame(rig: Awaited<ReturnType<typeof ways>>, asked: Asked, name = ""): Promise<void> {
  const [direct, guarded] = await bothWays(rig, asked);
  const text = <Of extends { readonly bytes: Buffer }>({ bytes, ...rest }: Of) => ({
    name,
    ...rest,
    text: bytes.toString("latin1"),
  });
  expect(text(guarded)).toEqual(text(direct));
  const [one, other] = rig.arrived.splice(0).map(({ fields: { host: _, connection: __, ...fields }, ...request }) => {
    const { "accept-encoding": ___, "transfer-encoding": ____, "content-length": length = "0", ...rest } = fields;
    return text({ ...request, ...rest, length });
  });
  expect(other).toEqual(one);
}

export const chat = { path: "/v1/chat/completions", body: chatBody([user("hi")], { stream: true }) };
export const embeddings = { path: "/v1/embeddings", body: '{"input":"a"}' };

export const loopOf = (count: number, extra: object = {}): string =>
  chatBody([user("What does it say?"), ...laps(count)], extra);
