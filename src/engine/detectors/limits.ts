import { defineDetector, findingIn, type RawFinding, wholeNumberSetting } from "../detector.ts";
import { type IndexedStep, indexedSteps, type View } from "../view.ts";

const usages = { steps: "refining", tokens: "extra", cost: "extra", seconds: "extra" } as const;

/** The names of the ladders that a limit of this kind stands for: its own, and the main one where it goes by that. */
export function laddersOfLimit(limit: keyof typeof usages) {
  return { own: `budget:${limit}` as const, main: usages[limit] === "refining" ? ("budget" as const) : undefined };
}

/** Budget: what the session has used up, in each kind that is counted; a policy that sets no limit ignores it. */
export const budget = defineDetector({
  name: "budget",
  grades: usages,
  tells: { main: "steps", tokens: "tokens", cost: "cost", seconds: "seconds" },
  settings: {},
  detect({ total, elsewhere, usage: { tokens, cost, seconds } }) {
    const used = (
      grade: NonNullable<RawFinding["limit"]>,
      count: number | undefined,
      note: string,
    ): readonly RawFinding[] => {
      if (count === undefined) return [];
      const evidence = [0, Math.max(0, total - 1)];
      return [
        { grade, limit: grade, loop: `budget:${grade}`, count, evidence, tools: [], evenIfUserSpoke: true, note },
      ];
    };
    return [
      ...used("steps", total + elsewhere, `${total + elsewhere} steps taken`),
      ...used("tokens", tokens, `${tokens} tokens used`),
      ...used("cost", cost, `cost of ${(cost ?? 0) / 1_000_000}`),
      ...used("seconds", seconds, `${seconds} seconds passed`),
    ];
  },
});

const stormSettings = {
  /** Within so many seconds the same request is one storm. */
  seconds: wholeNumberSetting(60),
};

/** Retry storm: how often the same request has come within a while, though it was answered whole and alike each time. */
export const retryStorm = defineDetector({
  name: "retry-storm",
  grades: {},
  tells: "arrivals",
  settings: stormSettings,
  needs: "arrivals",
  detect({ total, arrivals }, { seconds }) {
    const last = arrivals.at(-1) ?? 0;
    const count = arrivals.filter((at) => at > last - seconds).length;
    if (count < 2) return [];
    return [
      {
        loop: "retry-storm",
        count,
        evidence: [total - 1],
        tools: [],
        // The request itself repeats, so it does not matter who spoke last in it.
        evenIfUserSpoke: true,
        note: `the same request ${count} times within ${seconds} seconds`,
      },
    ];
  },
});

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
  if (!view.window.at(-1)?.spawns) return [];
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

function hasChanged({ actions, window, total }: View, from: number, to: number): boolean {
  if (actions.some(({ at, landed }) => landed && at > from && at <= to)) return true;
  const first = total - window.length;
  return window.slice(from - first, to - first).some(({ heard }) => heard === "user");
}

function finding(grade: string, turns: readonly IndexedStep[], count: number, note: string): RawFinding {
  return findingIn(turns, { grade, loop: `storm:${grade}:${turns[0]?.fingerprint.key}`, count, note });
}
