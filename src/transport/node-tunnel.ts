import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type NodeExchange, nodeExchange } from "./node-exchange.ts";
import { type Exchange, type Fields, originForm } from "./transport.ts";
import { toPairs } from "./web-send.ts";

/** Connections that were upgraded: bytes go both ways as they come, and nobody reads them. */
export interface Tunnels {
  /** Runs the exchange that asks for an upgrade. @param head what came behind its header */
  take(incoming: IncomingMessage, client: Duplex, head: Buffer, run: (exchange: Exchange) => Promise<void>): void;
}

/** At a time, and for how long nothing may come from either side. Both ends send pings far more often. */
const MOST = 1_024;
const IDLE_MS = 3_600_000;

export function tunnels(most = MOST, idleMs = IDLE_MS): Tunnels {
  let open = 0;

  function join(client: Duplex, upstream: Duplex): void {
    open += 1;
    let timer = setTimeout(end, idleMs);
    const moved = () => timer.refresh();
    function end(): void {
      clearTimeout(timer);
      client.destroy();
      upstream.destroy();
    }
    client.once("close", () => {
      open -= 1;
      end();
    });
    upstream.once("close", end);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from.on("error", end).on("data", moved).pipe(to);
    timer = timer.refresh();
  }

  function exchangeOf(incoming: IncomingMessage, outgoing: ServerResponse, client: Duplex, head: Buffer): NodeExchange {
    const exchange = nodeExchange(incoming, outgoing, originForm(incoming.url ?? "/"));
    const tunnel = (fields: Fields, upstream: unknown) => {
      outgoing.detachSocket(outgoing.socket ?? incoming.socket);
      client.write(switching(fields));
      const peer = upstream as Duplex;
      if (head.length > 0) peer.write(head);
      join(client, peer);
    };
    return { ...exchange, answer: { ...exchange.answer, ...(open < most && { tunnel }) } };
  }

  return {
    take(incoming, client, head, run) {
      const outgoing = new ServerResponse(incoming);
      outgoing.shouldKeepAlive = false;
      outgoing.assignSocket(incoming.socket);
      outgoing.once("finish", () => incoming.socket.destroySoon());
      client.on("error", () => client.destroy());
      const fail = () => {
        if (!outgoing.headersSent && outgoing.socket !== null) client.destroy();
      };
      run(exchangeOf(incoming, outgoing, client, head)).then(fail, fail);
    },
  };
}

function switching(fields: Fields): string {
  const pairs = ["connection", "Upgrade", "upgrade", "websocket", ...toPairs(fields)];
  const lines = pairs.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}
