import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface DelayProxy {
  readonly port: number;
  delay(ms: number): void;
  stop(): void;
}

export async function delayProxy(port: number): Promise<DelayProxy> {
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
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  return {
    port: address.port,
    delay(ms) {
      delayMs = ms;
    },
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
