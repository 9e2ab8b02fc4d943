import type { Count } from "../../activity/activity.ts";
import type { ApiCall } from "./context.ts";
import { type Counted, countedIn } from "./periods.ts";

interface Tally {
  nudge: number;
  "force-done": number;
  "short-circuit": number;
  cut: number;
  recovered: number;
  repeated: number;
  warnings: number;
  nearMisses: number;
}

const noTally = (): Tally => ({
  nudge: 0,
  "force-done": 0,
  "short-circuit": 0,
  cut: 0,
  recovered: 0,
  repeated: 0,
  warnings: 0,
  nearMisses: 0,
});

/** Sums by policy, ladder and tool, and by period. */
export async function analytics(call: ApiCall) {
  const { periods, ...range } = await countedIn(call);
  const all = periods.flatMap(({ counted: tallies }) => tallies);
  return {
    ...range,
    policies: byPolicy(all),
    ladders: byLadder(all),
    tools: byTool(all),
    series: periods.map(({ at, counted: tallies }) => ({
      at,
      exchanges: sumOf(tallies, "exchanges"),
      interventions: sumOf(tallies, "acts"),
    })),
  };
}

function sumOf(all: readonly Counted[], kind: Count["kind"]): number {
  return all.reduce((sum, { what, amount }) => sum + (what.kind === kind ? amount : 0), 0);
}

function byPolicy(all: readonly Counted[]) {
  const rows = grouped(all, (what) => ("policy" in what ? { policy: what.policy, arm: what.arm || null } : undefined));
  return rows.map(({ names, counted: tallies }) => ({
    ...names,
    exchanges: sumOf(tallies, "exchanges"),
    sessions: sumOf(tallies, "sessions"),
    tokens: Math.round(sumOf(tallies, "tokens")),
    loopTokens: Math.round(sumOf(tallies, "loopTokens")),
    ...tallyOf(tallies),
  }));
}

function byLadder(all: readonly Counted[]) {
  const rows = grouped(all, (what) =>
    "grade" in what
      ? { policy: what.policy, arm: what.arm || null, detector: what.detector, grade: what.grade || null }
      : undefined,
  );
  return rows.map(({ names, counted: tallies }) => ({ ...names, ...tallyOf(tallies) }));
}

function byTool(all: readonly Counted[]) {
  const rows = grouped(all, (what) => ("tool" in what ? { tool: what.tool, detector: what.detector } : undefined));
  return rows
    .map(({ names, counted: tallies }) => ({
      ...names,
      count: sumOf(tallies, "tools"),
      warnings: sumOf(tallies, "toolWarnings"),
      nearMisses: sumOf(tallies, "toolNearMisses"),
    }))
    .sort((a, b) => b.count - a.count);
}

function tallyOf(tallies: readonly Counted[]): Tally {
  const tally = noTally();
  for (const { what, amount } of tallies) {
    if (what.kind === "acts" && what.rung in tally) tally[what.rung as keyof Tally] += amount;
    if (isTallied(what.kind)) tally[what.kind] += amount;
  }
  return tally;
}

const TALLIED = ["recovered", "repeated", "warnings", "nearMisses"] as const;

function isTallied(kind: string): kind is (typeof TALLIED)[number] {
  return TALLIED.some((one) => one === kind);
}

function grouped<Names extends object>(all: readonly Counted[], namesOf: (what: Count) => Names | undefined) {
  const groups = new Map<string, { readonly names: Names; readonly counted: Counted[] }>();
  for (const one of all) {
    const names = namesOf(one.what);
    if (names === undefined) continue;
    const group = groups.get(JSON.stringify(names)) ?? { names, counted: [] };
    group.counted.push(one);
    groups.set(JSON.stringify(names), group);
  }
  return [...groups.values()];
}
