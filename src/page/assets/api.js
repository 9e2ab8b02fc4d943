// Calls of the admin API, the token that they take, which tabs give each other, and the guard's news.
import { useEffect, useState } from "./htm.js";

const BASE = "/unloop/api";
const KEPT = "unloop-admin-token";

/** Between the tabs of this browser. */
const channel = new BroadcastChannel("unloop-page");
const listeners = new Map();

/** Tells the other tabs. */
export const tell = (kind, value) => channel.postMessage({ kind, value });

/** Calls back for what other tabs tell. @returns what ends it */
export function hear(kind, onValue) {
  const all = listeners.get(kind) ?? new Set();
  listeners.set(kind, all.add(onValue));
  return () => all.delete(onValue);
}
channel.onmessage = ({ data: { kind, value } }) => {
  for (const onValue of listeners.get(kind) ?? []) onValue(value);
};

/** Until this tab is closed: nothing is written to disk. */
const token = () => sessionStorage.getItem(KEPT);
const refused = new Set();

/** @returns whether it may be tried */
export function keepToken(value) {
  if (refused.has(value)) return false;
  sessionStorage.setItem(KEPT, value);
  return true;
}

/** A token that was refused is no other tab's to give back; meanwhile another may have come. */
function lock(problem, used) {
  if (used !== token()) return;
  refused.add(used);
  problem.wasSent = used !== null;
  sessionStorage.removeItem(KEPT);
  dispatchEvent(new CustomEvent("unloop-locked", { detail: problem }));
}
hear("token?", () => token() !== null && tell("token", token()));

export const authorization = () => (token() === null ? {} : { authorization: `Bearer ${token()}` });

export class ApiProblem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const AWAY = "The guard does not answer; this page tries on.";

/** Gives the answer's value. Throws with what the server said is wrong; status 0: it said nothing. */
export async function ask(path, { body, signal } = {}) {
  const used = token();
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const options = { ...sent, signal, headers: { ...authorization(), ...type } };
  const answer = await fetch(BASE + path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new ApiProblem(0, AWAY);
  });
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  const problem = new ApiProblem(answer.status, error?.message ?? `The guard answered with ${answer.status}.`);
  if (answer.status === 401) lock(problem, used);
  throw problem;
}

/** A file of this page. */
export const readAsset = (name) => fetch(`assets/${name}`).then((answer) => answer.text());

/** Opens the live journal. */
const openStream = (last, signal) =>
  fetch(`${BASE}/journal/stream`, {
    headers: { ...authorization(), ...(last !== undefined && { "last-event-id": last }) },
    signal,
  });

/** What a path gives, asked again whenever `version` changes. @param keeps whether the value of another path stays until there is a new one */
export function useAnswer(path, version = 0, keeps = false) {
  const [state, set] = useState({ path: undefined, value: undefined, problem: undefined });
  useEffect(() => {
    if (path === undefined) return undefined;
    const abort = new AbortController();
    ask(path, { signal: abort.signal }).then(
      (value) => set({ path, value, problem: undefined, at: new Date().toISOString() }),
      (problem) => problem.name !== "AbortError" && set((before) => ({ ...before, failed: path, problem })),
    );
    return () => abort.abort();
  }, [path, version]);
  if (state.path === path || (keeps && state.value !== undefined)) return state;
  return { value: undefined, problem: state.failed === path ? state.problem : undefined };
}

// --- News: one stream for all tabs, held by whichever has the lock; none while a tab is hidden ---

const LOCK = "unloop-feed";
const RETRY_MS = 3_000;

const readers = new Set();
const watchers = new Set();
let state = "Connecting";
let abort;

function tellReaders(sessions) {
  for (const onNews of readers) onNews(sessions);
}

function setState(next) {
  state = next;
  for (const onState of watchers) onState(next);
}

hear("news", tellReaders);
hear("state", setState);
hear("state?", () => abort?.leads && tell("state", state));

function begin() {
  if (document.hidden || abort !== undefined) return;
  const own = new AbortController();
  abort = own;
  // Without a secure context there are no locks: then nothing is streamed, and each tab asks now and then.
  if (navigator.locks === undefined) return setState("Every 5 s");
  tell("state?");
  navigator.locks
    .request(LOCK, { signal: own.signal }, () => {
      own.leads = true;
      return lead(own.signal);
    })
    .catch(() => undefined);
}

function end() {
  abort?.abort();
  abort = undefined;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return end();
  begin();
  tellReaders();
});
addEventListener("pagehide", end);

/** Follows the journal until it is stopped; an EventSource could send no token. */
async function lead(signal) {
  let last;
  const say = (next) => {
    setState(next);
    tell("state", next);
  };
  while (!signal.aborted) {
    try {
      const answer = await openStream(last, signal);
      if (answer.ok) {
        say("Live");
        for await (const events of eventsOf(answer.body)) {
          last = events.at(-1)?.id ?? last;
          const told = events.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data).session]));
          if (told.length === 0) continue;
          const sessions = [...new Set(told)];
          tellReaders(sessions);
          tell("news", sessions);
        }
      }
    } catch {
      // It is opened again.
    }
    if (signal.aborted) return;
    say("Reconnecting");
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    tellReaders();
  }
}

/** Events of a stream, all that came together at a time. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    yield events.map((event) => Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s))));
  }
}

/** Whether what is shown follows what happens. */
export function useFeedState() {
  const [shown, show] = useState(state);
  useEffect(() => {
    watchers.add(show);
    begin();
    show(state);
    return () => watchers.delete(show);
  }, []);
  return shown;
}

/** Without news sessions still grow older and take steps. */
const IDLE_MS = 5_000;

/** `version` grows with news, at most every `everyMs`, and now and then; `again` makes it grow at once. @param of only news of this session */
export function useNews(everyMs, of) {
  const [version, setVersion] = useState(0);
  const again = () => setVersion((before) => before + 1);
  useEffect(() => {
    let waiting;
    let last = Date.now();
    const due = () => {
      waiting = undefined;
      last = Date.now();
      again();
    };
    const soon = (sessions) => {
      if (of !== undefined && sessions !== undefined && !sessions.includes(of)) return;
      waiting ??= setTimeout(due, Math.max(200, last + everyMs - Date.now()));
    };
    const idle = setInterval(() => document.hidden || soon(), IDLE_MS);
    readers.add(soon);
    return () => {
      readers.delete(soon);
      clearInterval(idle);
      clearTimeout(waiting);
    };
  }, [everyMs, of]);
  return { version, again };
}
