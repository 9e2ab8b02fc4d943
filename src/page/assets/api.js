// Calls of the admin API, now and again, and the token that they take, which tabs give each other.
import { useEffect, useState } from "./htm.js";

const BASE = "/unloop/api";
const KEPT = "unloop-admin-token";

/** Between the tabs of this browser: a token, or undefined from who asks for one. */
const channel = new BroadcastChannel("unloop-page");

export const shareToken = () => channel.postMessage(token());

/** Asks other tabs for a token, now and whenever one gets one. */
export function hearToken(onToken) {
  channel.onmessage = ({ data }) => {
    if (data === undefined) token() !== null && shareToken();
    else if (keepToken(data)) onToken();
  };
  channel.postMessage(undefined);
}

const say = (what, detail) => dispatchEvent(new CustomEvent(`unloop-${what}`, { detail }));

/** Until this tab is closed: nothing is written to disk. */
const token = () => sessionStorage.getItem(KEPT);
const refused = new Set();

/** @returns whether it may be tried */
export function keepToken(value) {
  if (refused.has(value)) return false;
  sessionStorage.setItem(KEPT, value);
  return true;
}

/** A token that was refused is no other tab's to give back. */
function lock(problem, used) {
  refused.add(used);
  problem.wasSent = used !== null;
  sessionStorage.removeItem(KEPT);
  say("locked", problem);
}

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
  const sent = body && { method: "POST", body: JSON.stringify(body) };
  const type = body && { "content-type": "application/json" };
  const headers = { ...(used !== null && { authorization: `Bearer ${used}` }), ...type };
  const answer = await fetch(BASE + path, { ...sent, signal, headers }).catch((error) => {
    if (error.name === "AbortError") throw error;
    say("answer", false);
    throw new ApiProblem(0, AWAY);
  });
  say("answer", answer.status < 500);
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  // Meanwhile another tab may have given one.
  if (answer.status === 401 && used !== token()) return ask(path, { body, signal });
  const problem = new ApiProblem(answer.status, error?.message ?? `The guard answered with ${answer.status}.`);
  if (answer.status === 401) lock(problem, used);
  throw problem;
}

export const readAsset = (name) => fetch(`assets/${name}`).then((answer) => answer.text());

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

/** Grows every so often, and at once when a hidden tab is looked at again: a hidden one asks for nothing. */
export function useTicks(everyMs) {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const tick = () => document.hidden || setTicks((before) => before + 1);
    const timer = setInterval(tick, everyMs);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [everyMs]);
  return ticks;
}
