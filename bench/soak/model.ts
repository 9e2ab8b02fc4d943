import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type ChatBody, rendered } from "../../test/support/wires/chat-wire.ts";
import type { RawAnswer } from "../../test/support/wires/scripted-answer.ts";
import { bodyOf } from "../../test/support/servers/http.ts";
import { ASKED, ASKING, askingIn, RUN, SAID, signature } from "./fields.ts";
import { type Asking, saidTo } from "./script.ts";

/**
 * The model of a soak, in a process of its own: plays the run that a request names, and tells with each answer what it was
 * asked and what it said. Tells its parent where it listens, and, asked anything, its `State`.
 */
export interface State {
  readonly asked: number;
  /** Being answered now. */
  readonly open: number;
  /** Broken off before the end of the answer; those of them that asked the same a second time. */
  readonly brokenOff: number;
  readonly brokenOffAgain: number;
}

/** It thinks for some milliseconds, and speaks some events at a time. */
const LEAST_THOUGHT_MS = 8;
const THOUGHT_MS = 16;
const TOGETHER = 4;
const GAP_MS = 3;
/** Runs that are remembered: many more than there are at a time. */
const MAX_RUNS = 5_000;

let [asked, open, brokenOff, brokenOffAgain] = [0, 0, 0, 0];
let ids = 0;
/** By run: at which turn it first heard a note. */
const heard = new Map<string, number>();
/** By run: the turn that was asked for last. */
const newest = new Map<string, number>();

function remember<V>(map: Map<string, V>, run: string, value: V): void {
  map.set(run, value);
  const [oldest] = map.keys();
  if (map.size > MAX_RUNS && oldest !== undefined) map.delete(oldest);
}

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const asking = askingIn(String(incoming.headers[ASKING]));
  const body = await bodyOf(incoming);
  asked += 1;
  open += 1;
  const isAgain = newest.get(asking.run) === asking.turn;
  remember(newest, asking.run, asking.turn);
  response.once("close", () => {
    open -= 1;
    if (response.writableFinished) return;
    brokenOff += 1;
    if (isAgain) brokenOffAgain += 1;
  });
  if (asking.kind.heeds && !heard.has(asking.run) && body.includes("[unloop]"))
    remember(heard, asking.run, asking.turn);
  await pause(LEAST_THOUGHT_MS + ((Number(asking.run) + asking.turn) % THOUGHT_MS));
  await say(response, answerTo(asking), asking, signature(body));
}

function answerTo(asking: Asking): RawAnswer {
  const chat: ChatBody = {
    model: "gpt-4.1",
    stream: asking.kind.stream,
    stream_options: { include_usage: true },
    messages: [],
    tools: [],
    tool_choice: "auto",
  };
  return rendered(saidTo(asking, heard.get(asking.run)), chat, () => {
    ids += 1;
    return `${asking.run}_${ids}`;
  });
}

async function say(response: ServerResponse, { fields, pieces }: RawAnswer, { run }: Asking, was: string) {
  const text = pieces.join("");
  const own = { [RUN]: run, [ASKED]: was, [SAID]: signature(text) };
  const isStream = pieces.length > 1;
  response.writeHead(200, { ...fields, ...own, ...(isStream ? {} : { "content-length": Buffer.byteLength(text) }) });
  for (let at = 0; at < pieces.length && !response.destroyed; at += TOGETHER) {
    if (at > 0) await pause(GAP_MS);
    response.write(pieces.slice(at, at + TOGETHER).join(""));
  }
  response.end();
}

const server = createServer((incoming, response) => {
  // A request that ends before its body has nobody left to answer.
  serve(incoming, response).catch(() => response.destroy());
});
// What waits for an overloaded machine is no fault of the guard's: no idle connection is closed, and none is turned away.
server.keepAliveTimeout = 0;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 });
await once(server, "listening");
process.on("message", () => process.send?.({ asked, open, brokenOff, brokenOffAgain } satisfies State));
process.once("disconnect", () => process.exit());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
