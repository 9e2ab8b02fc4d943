import type { DurableObjectNamespace, WebSocket } from "@cloudflare/workers-types";
import type { DirectiveRow, ThreadObject } from "./thread.ts";
import type { Stores } from "../store.ts";

/** Most exchanges are over by then: they open no socket. */
const FIRST_LISTEN_MS = 1_000;
/** Between attempts to open a socket that fails; doubled each time. */
const RETRY_MS = 2_000;

/** Directives in the objects of sessions, as far as this isolate has read them. */
export interface ReadDirectives extends NonNullable<Stores["sessionDirectives"]> {
  /** Takes in what an object has told. */
  take(session: string, rows: readonly DirectiveRow[]): void;
}

type Ask = <T>(command: () => Promise<T>) => Promise<T>;

export function sessionDirectives(threads: DurableObjectNamespace<ThreadObject>, ask: Ask): ReadDirectives {
  const texts = new Map<string, string>();
  const keysOf = new Map<string, readonly string[]>();
  const all = (sessions: readonly string[], command: (session: string) => Promise<void>) =>
    Promise.all([...new Set(sessions)].map((session) => ask(() => command(session)))).then(() => undefined);

  function take(session: string, rows: readonly DirectiveRow[]): void {
    for (const key of keysOf.get(session) ?? []) texts.delete(key);
    for (const { key, text } of rows) texts.set(key, text);
    if (rows.length > 0)
      keysOf.set(session, rows.map(({ key }) => key)); // biome-ignore format: one thought
    else keysOf.delete(session);
  }

  return {
    take,
    find: (key) => texts.get(key),
    put: (sessions, key, text, ttlMs) =>
      all(sessions, (session) => threads.getByName(session).putDirective(key, text, ttlMs)),
    remove: (sessions, key) => all(sessions, (session) => threads.getByName(session).removeDirective(key)),
    watch: (session, changed) =>
      listen(
        () => threads.getByName(session).fetch("https://session/", { headers: { upgrade: "websocket" } }),
        (text) => {
          take(session, JSON.parse(text));
          changed();
        },
      ),
  };
}

/** Listens on a socket, on another one where it breaks. @returns what ends it */
function listen(
  open: () => Promise<{ readonly webSocket: WebSocket | null }>,
  heard: (text: string) => void,
): () => void {
  let socket: WebSocket | null = null;
  let retryMs = RETRY_MS;
  let isOver = false;
  let timer = setTimeout(connect, FIRST_LISTEN_MS);

  async function connect(): Promise<void> {
    socket = await open().then(({ webSocket }) => webSocket, () => null); // biome-ignore format: one thought
    if (socket === null) return again();
    socket.accept();
    if (isOver) return socket.close();
    socket.addEventListener("message", ({ data }) => heard(String(data)));
    socket.addEventListener("close", again);
  }

  function again(): void {
    if (isOver) return;
    timer = setTimeout(connect, retryMs);
    retryMs *= 2;
  }

  return () => {
    isOver = true;
    clearTimeout(timer);
    socket?.close();
  };
}
