import { connect, type Socket } from "node:net";
import { payloadBytes } from "./answers.ts";
import { runNumber } from "./marks.ts";
import { type Transcript, transcript } from "./transcript.ts";
import type { Shape } from "./turns.ts";
import { messageReader, tail } from "./wire.ts";

/** What the requests of a player are like. */
export interface Play {
  readonly shape: Shape;
  readonly stream: boolean;
  /** The first and the last turn of every run. The same: each request is a history that was never seen before. */
  readonly from: number;
  readonly to: number;
}

export interface Address {
  readonly port: number;
  /** Ports of further servers; each turn of a run goes to the next one. */
  readonly others?: readonly number[];
  /** Lines of the head beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** Answers come as the model sent them, byte for byte. */
  readonly isExact: boolean;
}

/** Why an answer is not as it should be. */
export type Wrong = "status" | "verdict" | "call" | "length" | "framing" | "connection";

/** One answer, as the agent saw it; times by `performance.now()`. */
export interface Answered {
  readonly wrong: Wrong | undefined;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** An agent with a connection of its own that goes through run after run. */
export interface Player {
  /** Sends the next request; `then` hears of its answer. Not before the last one was answered. */
  send(then: (answered: Answered) => void): void;
  /** Closes the connection; the next request opens another and goes on where the run stands. */
  rest(): void;
}

/** @param nextRun gives a number that no run had before. @param turn where the first run begins. */
export function player(address: Address, play: Play, nextRun: () => number, turn: number): Player {
  const body = transcript(play.shape, play.stream);
  let at = turn;
  let run = begin(body, nextRun());
  const ports = [address.port, ...(address.others ?? [])];
  const connections = new Map<number, Connection>();
  const connectionTo = (port: number) => {
    const known = connections.get(port) ?? open({ ...address, port }, play, () => connections.delete(port));
    connections.set(port, known);
    return known;
  };
  return {
    send(then) {
      if (at > play.to) {
        at = play.from;
        run = begin(body, nextRun());
      }
      connectionTo(ports[at % ports.length] ?? address.port).ask(body.body(at), { run, turn: at }, then);
      at += 1;
    },
    rest() {
      for (const connection of connections.values()) connection.close();
    },
  };
}

function begin(body: Transcript, count: number): string {
  const run = runNumber(count);
  body.begin(run);
  return run;
}

interface Connection {
  ask(
    body: readonly [Buffer, Buffer],
    expected: { readonly run: string; readonly turn: number },
    then: (answered: Answered) => void,
  ): void;
  close(): void;
}

interface Open {
  readonly expected: { readonly run: string; readonly turn: number };
  readonly then: (answered: Answered) => void;
  wrong: Wrong | undefined;
  firstAt: number;
  bytes: number;
}

function open(address: Address, play: Play, closed: () => void): Connection {
  const last = tail();
  let asked: Open | undefined;
  const finish = (check: (asked: Open) => Wrong | undefined) => {
    if (asked === undefined) return;
    const lastAt = performance.now();
    const { then, firstAt } = asked;
    const wrong = asked.wrong ?? check(asked);
    asked = undefined;
    then({ wrong, firstAt, lastAt });
  };
  const { read } = messageReader({
    head(text) {
      if (asked !== undefined) asked.wrong = wrongHead(text);
    },
    body(bytes) {
      if (asked === undefined) return;
      if (asked.bytes === 0) asked.firstAt = performance.now();
      asked.bytes += bytes.length;
      last.add(bytes);
    },
    end: () => finish((answer) => wrongBody(answer, last.take(), address, play)),
    endless: () => finish(() => "framing"),
  });
  const socket = connect({ port: address.port, host: "127.0.0.1", noDelay: true });
  const gone = () => {
    closed();
    finish(() => "connection");
  };
  socket.on("data", read).on("error", () => undefined);
  socket.once("end", () => socket.destroy()).once("close", gone);
  const head = headOf(address);
  return {
    ask([history, rest], expected, then) {
      asked = { expected, then, wrong: undefined, firstAt: 0, bytes: 0 };
      send(socket, [Buffer.from(`${head}content-length: ${history.length + rest.length}\r\n\r\n`), history, rest]);
    },
    close: () => socket.destroy(),
  };
}

/** In one system call. */
function send(socket: Socket, pieces: readonly Buffer[]): void {
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
}

/** What an official client says. */
function headOf({ port, headers }: Address): string {
  const fields = {
    host: `127.0.0.1:${port}`,
    accept: "application/json",
    "accept-encoding": "identity",
    "content-type": "application/json",
    authorization: "Bearer sk-bench-0000000000000000",
    "user-agent": "OpenAI/Python 1.99.0",
    "x-stainless-lang": "python",
    "x-stainless-package-version": "1.99.0",
    "x-stainless-os": "Linux",
    "x-stainless-arch": "x64",
    "x-stainless-runtime": "CPython",
    "x-stainless-runtime-version": "3.12.3",
    "x-stainless-async": "false",
    "x-stainless-retry-count": "0",
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}`;
}

function wrongHead(head: string): Wrong | undefined {
  if (!head.startsWith("HTTP/1.1 200")) return "status";
  const verdict = head.indexOf("x-unloop-verdict: ");
  return verdict === -1 || head.startsWith("ok", verdict + 18) ? undefined : "verdict";
}

function wrongBody({ expected, bytes }: Open, end: Buffer, { isExact }: Address, play: Play): Wrong | undefined {
  const { run, turn } = expected;
  if (!end.includes(`"call_${run}_${String(turn).padStart(4, "0")}"`)) return "call";
  if (!end.includes(play.stream ? "data: [DONE]" : '"finish_reason":"tool_calls"')) return "length";
  return isExact && bytes !== payloadBytes(play.shape, turn, play.stream) ? "length" : undefined;
}
