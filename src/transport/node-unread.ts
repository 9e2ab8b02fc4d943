import type { IncomingMessage } from "node:http";

/** For a client to send the rest of a request that is answered already, in ms and in bytes. */
const PATIENCE_MS = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Drains the unread rest of a request that is answered already, so that the client's next request can be read. A rest that takes
 * too long or is too much ends the connection.
 */
export function drainUnread(incoming: IncomingMessage): void {
  if (incoming.destroyed) return;
  incoming.resume();
  if (incoming.complete) return;
  let bytes = 0;
  const giveUp = () => incoming.socket.destroySoon();
  const late = setTimeout(giveUp, PATIENCE_MS);
  incoming
    .on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) giveUp();
    })
    .on("close", () => clearTimeout(late));
}
