import { createServer, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { closing, listening } from "./http.ts";

/** A forward proxy as companies have one: CONNECT and whole URLs, with a user and a password. Every host is this machine to it. */
export async function forwardProxy(auth?: string) {
  const asked: string[] = [];
  const isAllowed = ({ headers }: IncomingMessage) =>
    auth === undefined || headers["proxy-authorization"] === `Basic ${Buffer.from(auth).toString("base64")}`;
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!isAllowed(incoming)) return void outgoing.writeHead(407).end();
    const { port, pathname, search } = new URL(incoming.url ?? "");
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const sent = request({ host: "127.0.0.1", port, path: pathname + search, method: incoming.method, headers });
    sent.on("response", (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)));
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (!isAllowed(incoming)) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const way = connect(Number(incoming.url?.split(":").at(-1)), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      way.pipe(socket).pipe(way);
    });
    for (const end of [way, socket]) {
      sockets.add(end);
      end.on("error", () => undefined).on("close", () => [way, socket].map((other) => other.destroy()));
    }
  });
  const url = await listening(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await closing(server);
  });
  return { url: auth === undefined ? url : url.replace("://", `://${auth}@`), asked };
}
