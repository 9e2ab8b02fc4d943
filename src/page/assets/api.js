// Calls of the admin API, and the token that they take, which tabs give each other.
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

const AWAY = "The guard does not answer. It may be starting again; this page tries on.";

/** Gives the answer's value. Throws with what the server said is wrong; status 0: it said nothing. */
export async function ask(path, { body, as = "json", signal } = {}) {
  const used = token();
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const options = { ...sent, signal, headers: { ...authorization(), ...type } };
  const answer = await fetch(BASE + path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new ApiProblem(0, AWAY);
  });
  if (answer.ok) return as === "text" ? answer.text() : answer.json();
  const { error } = await answer.json().catch(() => ({}));
  const problem = new ApiProblem(answer.status, error?.message ?? `The guard answered with ${answer.status}.`);
  if (answer.status === 401) lock(problem, used);
  throw problem;
}

/** A file of this page. */
export const readAsset = (name) => fetch(`assets/${name}`).then((answer) => answer.text());

/** Opens the live journal. */
export const openStream = (last, signal) =>
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
      (value) => set({ path, value, problem: undefined }),
      (problem) => problem.name !== "AbortError" && set((before) => ({ ...before, failed: path, problem })),
    );
    return () => abort.abort();
  }, [path, version]);
  if (state.path === path || (keeps && state.value !== undefined)) return state;
  return { value: undefined, problem: state.failed === path ? state.problem : undefined };
}
