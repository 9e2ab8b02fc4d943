import { ledgerReach, readLedger } from "../../../src/session/session.ts";
import { memoryStores, type SessionStore, type Stores } from "../../../src/index.ts";
import { inProcess, type MakeGuard, type RigOptions } from "../../support/builders/in-process.ts";

export type Message = Readonly<Record<string, unknown>>;
export type Fields = Readonly<Record<string, string>>;

/** A store that several processes share, and what was written to it: how many steps of the run it knows, each time. */
export function shared() {
  const stores = memoryStores();
  const known: number[] = [];
  const write: SessionStore["write"] = (key, json, ...how) => {
    const ledger = readLedger(json);
    if (ledger !== undefined) known.push(ledgerReach(ledger));
    return stores.sessions.write(key, json, ...how);
  };
  return { known, stores: { ...stores, sessions: { ...stores.sessions, write }, isShared: true } };
}

/** Stores that tell how often a session was read. */
export function counted(options: Partial<Stores> = {}) {
  const stores = memoryStores();
  const counts = { reads: 0 };
  const read: SessionStore["read"] = (key) => {
    counts.reads += 1;
    return stores.sessions.read(key);
  };
  return { counts, stores: { ...stores, sessions: { ...stores.sessions, read }, ...options } };
}

/** A guard whose model says what it is told to. */
export function guarded(options: RigOptions = {}, make?: MakeGuard) {
  let says: Message = {};
  const { fetch, asked } = inProcess(
    () => Response.json(answerOf(says)),
    { secret: "a secret of the tests", ...options },
    make,
  );
  return {
    asked,
    /** One exchange: what the guard said of it. */
    async ask(messages: readonly Message[], answer: Message, more: object = {}, headers: Fields = {}) {
      says = answer;
      const response = await fetch("/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer sk-1", ...headers },
        body: JSON.stringify({ model: "m", messages, ...more }),
      });
      await response.text();
      // What is kept is kept after the last byte.
      await new Promise((resolve) => setImmediate(resolve));
      return toldBy(response.headers);
    },
  };
}

function answerOf(message: Message): object {
  return { id: "x", object: "chat.completion", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
}

/** A derived session is named by its first request, at random: two guards name it otherwise. */
function toldBy(headers: Headers): object {
  const isDerived = headers.get("x-unloop-session-source") === "derived";
  const names = ["verdict", "session-source", "detector", "count", "sticky", ...(isDerived ? [] : ["session"])];
  return Object.fromEntries(names.map((name) => [name, headers.get(`x-unloop-${name}`)]));
}

export const call = (i: number | string): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [
    { id: `c${i}`, type: "function", function: { name: "read", arguments: `{"page":${JSON.stringify(i)}}` } },
  ],
});
export const result = (i: number | string): Message => ({
  role: "tool",
  tool_call_id: `c${i}`,
  content: `On page ${i} stands word${i}.`,
});
export const opening: readonly Message[] = [
  { role: "system", content: "You read." },
  { role: "user", content: "Read all pages." },
];
/** So long that requests of a run are known by how they begin. */
export const longOpening: readonly Message[] = [
  { role: "system", content: "You read. ".repeat(150) },
  ...opening.slice(1),
];
export const walk = (from: number, to: number): readonly Message[] =>
  Array.from({ length: to - from }, (_, i) => [call(from + i), result(from + i)]).flat();

export type Rig = ReturnType<typeof guarded>;

/** Asks for the turns `from` to `to` of a healthy run, one request each. */
export async function go(
  { ask }: Pick<Rig, "ask">,
  from: number,
  to: number,
  messages = opening,
  headers: Fields = {},
) {
  const told: object[] = [];
  for (let i = from; i < to; i++) told.push(await ask([...messages, ...walk(0, i)], call(i), {}, headers));
  return told;
}
