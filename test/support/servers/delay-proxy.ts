import { connect, createServer, type Socket } from "node:net";
import { listening } from "./http.ts";

export async function delayProxy(port: number) {
  let delayMs = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      // Small commands must not wait for each other's acknowledgement.
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => void setTimeout(() => client.writable && client.write(bytes), delayMs));
  });
  const { port: own } = new URL(await listening(server));
  return {
    port: Number(own),
    delay(ms: number) {
      delayMs = ms;
    },
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
