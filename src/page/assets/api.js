// Calls of the admin API.
import { useEffect, useState } from "./htm.js";

const BASE = "/unloop/api";
const KEPT = "unloop-admin-token";

/** For this tab alone: it is gone when that is closed. */
export const keepToken = (token) => sessionStorage.setItem(KEPT, token);
const token = () => sessionStorage.getItem(KEPT);
const authorization = () => (token() === null ? {} : { authorization: `Bearer ${token()}` });

class ApiProblem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Gives the answer's value. Throws with what the server said is wrong. */
export async function ask(path, { body, as = "json", signal } = {}) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(BASE + path, { ...sent, signal, headers: { ...authorization(), ...type } });
  if (answer.ok) return as === "text" ? answer.text() : answer.json();
  const told = await answer.json().catch(() => ({}));
  throw new ApiProblem(answer.status, told.error?.message ?? `The guard answered with ${answer.status}.`);
}

/** What a path gives, asked again whenever the path or `version` changes; `problem` keeps the last value. */
export function useAnswer(path, version = 0) {
  const [state, set] = useState({ path: undefined, value: undefined, problem: undefined });
  useEffect(() => {
    const abort = new AbortController();
    ask(path, { signal: abort.signal }).then(
      (value) => set({ path, value, problem: undefined }),
      (problem) => problem.name !== "AbortError" && set((before) => ({ ...before, problem })),
    );
    return () => abort.abort();
  }, [path, version]);
  return state.path === path ? state : { value: undefined, problem: state.problem };
}

/** Without news sessions still grow older and take steps. */
const EVERY_MS = 5_000;
/** News often come together. */
const SOON_MS = 300;

/** `version` grows with every event of the journal, and now and then; `again` makes it grow at once. */
export function useNews(paused) {
  const [version, setVersion] = useState(0);
  const [isLive, setLive] = useState(false);
  const again = () => setVersion((before) => before + 1);
  useEffect(() => {
    if (paused) return undefined;
    let waiting;
    const due = () => {
      waiting = undefined;
      again();
    };
    const soon = () => {
      waiting ??= setTimeout(due, SOON_MS);
    };
    const stop = followJournal(soon, setLive);
    const timer = setInterval(again, EVERY_MS);
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(waiting);
    };
  }, [paused]);
  return { version, again, state: paused ? "Paused" : isLive ? "Live" : "Connecting" };
}

const RETRY_MS = 3_000;

/** Follows the journal and calls `onEntry` for each event until it is stopped; an EventSource could send no token. */
function followJournal(onEntry, onState) {
  const abort = new AbortController();
  let last;
  const follow = async () => {
    const headers = { ...authorization(), ...(last !== undefined && { "last-event-id": last }) };
    const answer = await fetch(`${BASE}/journal/stream`, { headers, signal: abort.signal });
    if (!answer.ok) throw new ApiProblem(answer.status, "There is no live journal.");
    onState(true);
    for await (const event of eventsOf(answer.body)) {
      last = event.id ?? last;
      if (event.data !== undefined) onEntry(JSON.parse(event.data));
    }
  };
  const again = () => {
    if (abort.signal.aborted) return;
    onState(false);
    setTimeout(() => abort.signal.aborted || follow().then(again, again), RETRY_MS);
  };
  follow().then(again, again);
  return () => abort.abort();
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) yield Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s)));
  }
}
