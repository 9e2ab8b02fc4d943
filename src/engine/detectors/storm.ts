import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import { type IndexedStep, indexedSteps, type View } from "../view.ts";

/** Turns in a row, each of which starts more sub-agents than the one before, that are no mere pilot and its follow-up. */
const LEAST_TURNS = 4;
/** Compactions with more steps between them have a reason. */
const APART = 8;

/** Storm: sub-agents that multiply from turn to turn, or compactions that follow one another with nothing changed in between. */
export const storm = defineDetector({
  name: "storm",
  grades: { agents: "extra", compactions: "extra" },
  tells: { main: "agents", compactions: "compactions" },
  settings: {},
  detect: (view) => [...agents(view), ...compactions(view)],
});

function agents(view: View): readonly RawFinding[] {
  if ((view.window.at(-1)?.spawns ?? 0) < 2) return [];
  const turns: IndexedStep[] = [];
  for (const step of indexedSteps(view).toReversed()) {
    const { spawns = 0, heard } = step.fingerprint;
    const next = turns[0]?.fingerprint.spawns;
    // What a user says after a turn is what the turns behind it are for.
    if (next !== undefined && heard === "user") break;
    if (spawns === 0) continue;
    if (next !== undefined && spawns >= next) break;
    turns.unshift(step);
  }
  if (turns.length < LEAST_TURNS) return [];
  const count = turns.reduce((sum, { fingerprint }) => sum + (fingerprint.spawns ?? 0), 0);
  const note = `${count} sub-agents in ${turns.length} turns, more in each of them`;
  return [finding("agents", turns, count, note)];
}

function compactions(view: View): readonly RawFinding[] {
  const at = view.compactions.filter((index) => index >= view.total - view.window.length);
  const from = at.findLastIndex((index, i) => {
    const next = at[i + 1] ?? view.total - 1;
    return next - index > APART || hasChanged(view, index, next);
  });
  const row = at.slice(from + 1);
  if (row.length < 2) return [];
  const steps = indexedSteps(view).filter((step) => row.includes(step.at));
  return [finding("compactions", steps, row.length, `${row.length} compactions in a row, nothing changed in between`)];
}

/** Behind one step, up to another. */
function hasChanged({ actions, window, total }: View, from: number, to: number): boolean {
  if (actions.some(({ at, landed }) => landed && at > from && at <= to)) return true;
  const first = total - window.length;
  return window.slice(from - first, to - first).some(({ heard }) => heard === "user");
}

function finding(grade: string, turns: readonly IndexedStep[], count: number, note: string): RawFinding {
  return findingIn(turns, { grade, loop: `storm:${grade}:${turns[0]?.fingerprint.key}`, count, note });
}
