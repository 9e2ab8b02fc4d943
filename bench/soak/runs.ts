import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, fetch } from "undici";
import { bodyOf, closing, listening } from "../../test/support/servers/http.ts";
import { chatCompletionsWire as wire } from "../../test/support/wires/chat-completions.ts";
import { chatBodyOf, rendered } from "../../test/support/wires/chat-wire.ts";
import type { ScriptedAnswer } from "../../test/support/wires/scripted-answer.ts";
import { type Shape, turnOf } from "../load/turns.ts";

/** How the runs of a soak differ. */
export interface Kind {
  readonly name: string;
  readonly shape: Shape;
  readonly stream: boolean;
  /** After so many requests the model makes the same call for ever; undefined: it never does. */
  readonly loopsAfter: number | undefined;
  /** It finishes once it has been nudged. */
  readonly heeds: boolean;
  /** Its requests tell the task and the last turn alone, under a session's name. */
  readonly isTerse: boolean;
}

const small: Shape = { name: "16 KB", turns: 20, bytesPerTurn: 1_500, events: 60 };
const large: Shape = { name: "300 KB", turns: 60, bytesPerTurn: 5_060, events: 60 };
const healthy = { shape: small, stream: false, loopsAfter: undefined, heeds: false, isTerse: false };
const deaf = { ...healthy, loopsAfter: 0 };

/** In the order in which runs take them. */
export const kinds: readonly Kind[] = [
  { ...healthy, name: "healthy, JSON" },
  { ...healthy, name: "healthy, events", stream: true },
  { ...deaf, name: "deaf, JSON" },
  { ...healthy, name: "healthy, last turn alone", isTerse: true },
  { ...deaf, name: "deaf after three turns, events", loopsAfter: 3, stream: true },
  { ...healthy, name: "healthy, large, events", shape: large, stream: true },
  { ...deaf, name: "heeding, JSON", heeds: true },
  { ...deaf, name: "heeding after two turns, events", loopsAfter: 2, heeds: true, stream: true },
  { ...deaf, name: "deaf, last turn alone", isTerse: true, stream: true },
];

/** One request, as its agent saw the answer. Times in Unix milliseconds. */
export interface Exchange {
  readonly at: number;
  readonly until: number;
  /** What was done, as the agent can see it: the verdict, and whether the answer is the model's. Empty where it hung up. */
  readonly label: string;
  /** Request and answer passed byte for byte. */
  readonly isUntouched: boolean;
  readonly hasLeft: boolean;
  /** Why the answer is not as it should be. */
  readonly broken?: string;
}

export interface Run {
  readonly kind: Kind;
  readonly exchanges: readonly Exchange[];
}

const REQUESTS = 12;
const FINAL = "The discount is rounded before the tax is added; two files are to be changed.";
const KEY = "x-soak";
const sha = (bytes: string | Uint8Array): string => createHash("sha1").update(bytes).digest("hex");

/** The model, and what it was asked and said of each request that has not been looked at. */
export async function startModel() {
  const seen = new Map<string, { readonly asked: string; readonly said: string }>();
  let open = 0;
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [name = "", run = "", turn = ""] = String(incoming.headers[KEY]).split(";");
    const body = await bodyOf(incoming);
    open += 1;
    response.once("close", () => (open -= 1));
    await pause(8 + ((Number(turn) * 7) % 16));
    const kind = kinds.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`There is no kind of run named ${name}.`);
    const chat = chatBodyOf({ stream: kind.stream, stream_options: { include_usage: true } });
    const said = answerTo(kind, Number(turn), body.includes("[unloop]"));
    const { fields, pieces } = rendered(said, chat, () => `${run}_${turn}_${seen.size}`);
    seen.set(`${run};${turn}`, { asked: sha(body), said: sha(pieces.join("")) });
    response.writeHead(200, fields);
    for (let at = 0; at < pieces.length && !response.destroyed; at += 8) {
      if (at > 0) await pause(2);
      response.write(pieces.slice(at, at + 8).join(""));
    }
    response.end();
  }
  const server = createServer((incoming, response) => {
    // A request that ends before its body has nobody left to answer.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  return { url: await listening(server), seen, open: () => open, stop: () => closing(server) };
}

function answerTo({ shape, loopsAfter, heeds }: Kind, turn: number, isNudged: boolean): ScriptedAnswer {
  if ((isNudged && heeds) || (loopsAfter === undefined && turn === REQUESTS - 1)) return { kind: "text", text: FINAL };
  const { pieces, tool, args } = turnOf(shape, loopsAfter === undefined ? turn : Math.min(turn, loopsAfter));
  return { kind: "calls", calls: [{ tool, args }], text: pieces.join("") };
}

type Model = Awaited<ReturnType<typeof startModel>>;

/** Connections are kept, as SDKs keep them, and given up soon after the last request. */
const dispatcher = new Agent({ connections: 100, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

/** A run in front of the guard at a port. `next` sends one request and resolves to whether the run goes on. */
export function startRun(kind: Kind, port: number, { seen }: Model) {
  const name = randomUUID();
  const opening = [
    { role: "system", content: `You are an engineer's assistant. ${name}` },
    { role: "user", content: `Work on task ${name}: find out why the totals differ.` },
  ];
  const turns: (readonly object[])[] = [];
  const exchanges: Exchange[] = [];
  const fields = {
    ...{ authorization: "Bearer sk-soak", "content-type": "application/json", "accept-encoding": "identity" },
    ...(kind.isTerse && { "x-unloop-session": name }),
  };

  async function sent(signal: AbortSignal) {
    const turn = turns.length;
    const messages = [...opening, ...(kind.isTerse ? turns.slice(-1) : turns).flat()];
    const body = JSON.stringify({ model: "m", stream: kind.stream, messages });
    const headers = { ...fields, [KEY]: `${kind.name};${name};${turn}` };
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers,
      body,
      signal,
      dispatcher,
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`status ${response.status}: ${text.slice(0, 200)}`);
    const { asked, said } = seen.get(`${name};${turn}`) ?? {};
    const verdict = response.headers.get("x-unloop-verdict") ?? "none";
    const heard = wire.heard(text, response.headers.get("content-type") ?? "");
    const isSaid = said === sha(text);
    const label = `${verdict}${isSaid ? "" : heard.calls.length > 0 ? " -> other" : " -> ended"}`;
    return { heard, label, isUntouched: isSaid && asked === sha(body) };
  }

  return {
    kind,
    told: (): Run => ({ kind, exchanges }),
    /** @param leavesAfterMs when its client hangs up */
    async next(leavesAfterMs?: number): Promise<boolean> {
      const at = Date.now();
      const leaving = new AbortController();
      const timer = setTimeout(() => leaving.abort(), leavesAfterMs ?? 60_000);
      const note = (more: Omit<Exchange, "at" | "until">) => void exchanges.push({ at, until: Date.now(), ...more });
      try {
        const { heard, ...exchange } = await sent(leaving.signal);
        note({ ...exchange, hasLeft: false });
        const results = heard.calls.map(({ id, args }) => ({
          role: "tool",
          tool_call_id: id,
          content: resultOf(kind, args),
        }));
        turns.push([...heard.entries.map((entry) => entry as object), ...results]);
        return heard.calls.length > 0 && turns.length < REQUESTS;
      } catch (error) {
        const hasLeft = leavesAfterMs !== undefined && leaving.signal.aborted;
        note({ label: "", isUntouched: false, hasLeft, ...(!hasLeft && { broken: whyOf(error) }) });
        return false;
      } finally {
        clearTimeout(timer);
        seen.delete(`${name};${turns.length - 1}`);
      }
    },
  };
}

const whyOf = (error: unknown) => (error instanceof Error ? String(error.cause ?? error) : String(error));

/** The same call brings the same, another call something else. */
function resultOf({ shape }: Kind, args: string): string {
  for (let index = 0; index < REQUESTS; index += 1) {
    const turn = turnOf(shape, index);
    if (turn.args === args) return turn.result;
  }
  throw new Error("The model made a call that no script has.");
}
