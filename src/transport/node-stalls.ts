import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Ends exchanges whose client has fallen silent: within its request, or before an answer that it does not read. */
export interface StallWatch {
  /** Lowers the limit. */
  limit(ms: number): void;
  stop(): void;
}

interface Progress {
  readonly response: ServerResponse;
  /** What has come and gone, as text: as long as it stays, nothing moves. */
  readonly mark: string;
  readonly since: number;
}

/** Looks so many times within the limit. */
const LOOKS = 4;
const REQUEST_TIMEOUT = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** @param sockets the connections and their open exchanges */
export function stallWatch(
  sockets: ReadonlyMap<Socket, ServerResponse | undefined>,
  idleMs: number,
  now: () => number = () => performance.now(),
): StallWatch {
  const progress = new WeakMap<Socket, Progress>();
  let limitMs = idleMs;

  function look(): void {
    for (const [socket, response] of sockets) {
      const waiting = response === undefined ? undefined : waitingFor(socket, response);
      if (response === undefined || waiting === undefined) continue;
      const mark = `${waiting} ${socket.bytesRead} ${socket.bytesWritten} ${socket.writableLength}`;
      const before = progress.get(socket);
      if (before?.response !== response || before.mark !== mark) progress.set(socket, { response, mark, since: now() });
      else if (now() - before.since >= limitMs) end(socket, response);
    }
  }

  const begin = () => setInterval(look, Math.max(50, limitMs / LOOKS)).unref();
  let timer = begin();
  return {
    limit(ms) {
      limitMs = Math.min(limitMs, ms);
      clearInterval(timer);
      timer = begin();
    },
    stop: () => clearInterval(timer),
  };
}

/** Undefined where the next word is ours, or the upstream's. */
function waitingFor(socket: Socket, response: ServerResponse): "upload" | "reader" | undefined {
  const { req } = response;
  // What has arrived and is not taken yet waits for the upstream, not for the client.
  if (!req.complete && req.readableLength === 0 && !response.writableEnded) return "upload";
  return socket.writableLength > 0 ? "reader" : undefined;
}

function end(socket: Socket, response: ServerResponse): void {
  if (response.headersSent) socket.resetAndDestroy();
  else {
    socket.write(REQUEST_TIMEOUT);
    socket.destroySoon();
    // The code that waits for the rest of the request is told now, not when the last byte of that is out.
    response.req.destroy();
  }
}
