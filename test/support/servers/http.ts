import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";

/** The whole body; rejects if the client leaves before its end. */
export async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function listening(server: NetServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server and what is still connected to it: a kept-alive connection would hold it open for seconds. */
export async function closing(server: Pick<Server, "close" | "closeAllConnections"> & NetServer): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listening(server));
  await closing(server);
  return Number(port);
}
