// News of the guard: one stream for all tabs, held by whichever has the lock; none while a tab is hidden.
import { useEffect, useState } from "./htm.js";
import { hear, openStream, tell } from "./api.js";

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
