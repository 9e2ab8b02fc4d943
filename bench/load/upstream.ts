import { createServer, type AddressInfo, type Socket } from "node:net";
import { type Answers, answers } from "./answers.ts";
import { askedFor } from "./marks.ts";
import type { Shape } from "./turns.ts";
import { messageReader, tail } from "./wire.ts";

/**
 * A model behind HTTP that costs as little as it can, in a process of its own. Its answer is the run's next turn, which it
 * finds in the newest call of the request. Tells its parent the port it listens on; is told how to answer, any time.
 */

/** How the model answers from now on. */
export interface Manner {
  readonly shape: Shape;
  /** How long it thinks before the head. In milliseconds. */
  readonly delayMs: number;
  /** Between events: `together` in one write, or each on its own, so many milliseconds apart; 0: as fast as it can. */
  readonly pace: "together" | number;
}

interface Answering {
  readonly manner: Manner;
  readonly answers: Answers;
}

let answering: Answering | undefined;
const prepared = new Map<string, Answers>();

/** Answers that go out event by event: what is left of each. */
interface Streaming {
  readonly socket: Socket;
  readonly events: readonly Buffer[];
  next: number;
}
const streaming = new Set<Streaming>();
let beating = false;

/** One event for everybody, and again after `gapMs`. */
function beat(gapMs: number): void {
  if (beating) return;
  beating = true;
  const tick = () => {
    for (const one of streaming) {
      const event = one.events[one.next];
      one.next += 1;
      if (event !== undefined && !one.socket.destroyed) one.socket.write(event);
      if (one.next >= one.events.length || one.socket.destroyed) streaming.delete(one);
    }
    beating = streaming.size > 0;
    if (beating) again();
  };
  const again = () => (gapMs === 0 ? setImmediate(tick) : setTimeout(tick, gapMs));
  again();
}

function answer(socket: Socket, body: Buffer): void {
  const asked = askedFor(body);
  if (asked === undefined || answering === undefined) {
    socket.end("HTTP/1.1 422 Unprocessable Entity\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    return;
  }
  const { manner, answers: all } = answering;
  const { run, turn } = asked;
  if (!body.includes('"stream":true')) socket.write(all.json(turn, run));
  else if (manner.pace === "together") socket.write(all.streamed(turn, run));
  else {
    streaming.add({ socket, events: all.events(turn, run), next: 0 });
    beat(manner.pace);
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  const last = tail();
  const { read } = messageReader({
    head: () => undefined,
    body: last.add,
    end() {
      const body = last.take();
      const delayMs = answering?.manner.delayMs ?? 0;
      if (delayMs === 0) answer(socket, body);
      else setTimeout(() => answer(socket, body), delayMs);
    },
    endless: () => socket.end("HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
  });
  socket.on("data", read);
  // A proxy that ends resets its connections.
  socket.on("error", () => socket.destroy());
});

process.on("message", (manner: Manner) => {
  const key = JSON.stringify(manner.shape);
  const known = prepared.get(key) ?? answers(manner.shape);
  prepared.set(key, known);
  answering = { manner, answers: known };
  process.send?.({ ready: true });
});
process.once("disconnect", () => process.exit());

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
