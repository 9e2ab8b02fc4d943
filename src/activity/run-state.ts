/** States of a run, the most pressing first. In observe mode nothing is ever `warned`, `forced`, `ended` or `cut`. */
export const runStates = [
  "looping",
  "ended",
  "forced",
  "cut",
  "failing",
  "warned",
  "contained",
  "recovered",
  "running",
  "idle",
  "done",
] as const;
export type RunState = (typeof runStates)[number];

/** States of a run that may still go on; without a request for ten minutes it is idle. */
const OPEN: readonly RunState[] = ["looping", "failing", "warned", "recovered", "running"];
const IDLE_AFTER_MS = 10 * 60_000;

/** A state, and when it began, as far as that is known; Unix time, milliseconds. */
export interface StateAt {
  readonly state: RunState;
  readonly at: number;
}

/** Text of a thread's state in the directory. @param at when it was seen @param since when it began */
export const stateText = (state: RunState, at: number, since = at): string =>
  since === at ? `${state} ${at}` : `${state} ${at} ${since}`;

/** State of a session: the most pressing of its threads that were in use until shortly before it was. */
export function stateOfThreads(texts: readonly string[], lastAt: number, now: number): StateAt {
  const states = texts.flatMap((text) => readState(text)).filter(({ seenAt }) => lastAt - seenAt < IDLE_AFTER_MS);
  const worst = states.sort((a, b) => runStates.indexOf(a.state) - runStates.indexOf(b.state))[0];
  const { state, at } = worst ?? { state: "running" as const, at: lastAt };
  return OPEN.includes(state) && now - lastAt >= IDLE_AFTER_MS ? { state: "idle", at: lastAt } : { state, at };
}

function readState(text: string): readonly (StateAt & { readonly seenAt: number })[] {
  const [name, at, since = at] = text.split(" ");
  const state = runStates.find((one) => one === name);
  return state === undefined ? [] : [{ state, at: Number(since), seenAt: Number(at) }];
}
