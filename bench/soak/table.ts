import { quantile } from "../load/statistics.ts";
import { table } from "../overhead/markdown.ts";
import type { Reading } from "../readings/readings.ts";
import { type Fault, isDegraded, isLate, type Reference } from "./judge.ts";
import type { Phase, Played } from "./phases.ts";
import type { Exchange, Run } from "./run.ts";

/** A reading, and when it was taken. */
export interface Taken extends Reading {
  readonly at: number;
}

const HEAD = [
  "phase",
  "seconds",
  "requests",
  "left early",
  "broken",
  "wrong verdicts",
  "bytes changed",
  "loops acted on",
  "degraded",
  "degraded, Redis there",
  "own time p50 / p99 (ms)",
  "total p50 / p99 (ms)",
  "heap (MB)",
  "sockets",
];

export function phasesText(
  { phases, outages }: Played,
  runs: readonly Run[],
  faults: readonly Fault[],
  taken: readonly Taken[],
): string {
  const all = runs.flatMap(({ exchanges }) => exchanges);
  const rows = phases.map((phase) => {
    const here = all.filter(({ at }) => isIn(at, phase));
    const wrong = (kind: Fault["kind"]) =>
      String(faults.filter((fault) => fault.kind === kind && isIn(fault.at, phase)).length);
    const read = taken.filter(({ at }) => isIn(at, phase));
    return [
      phase.name,
      ((phase.until - phase.from) / 1_000).toFixed(0),
      String(here.length),
      String(here.filter(({ left }) => left !== undefined).length),
      wrong("broken"),
      wrong("wrong verdict"),
      wrong("changed bytes"),
      String(here.filter(isActedOn).length),
      String(here.filter(isDegraded).length),
      String(here.filter((exchange) => isLate(exchange, outages)).length),
      middleAndTail(here.map(({ ownMs }) => ownMs)),
      middleAndTail(here.filter(({ left }) => left === undefined).map(({ ms }) => ms)),
      fromTo(read.map(({ heapMb }) => heapMb)),
      fromTo(read.map(({ sockets }) => sockets)),
    ];
  });
  return table(HEAD, rows);
}

export function referencesText(references: ReadonlyMap<string, Reference>): string {
  const rows = [...references].map(([kind, { usual, without }]) => [kind, inShort(usual), inShort(without)]);
  return table(["run", "verdicts", "verdicts without Redis"], rows);
}

/** `ok x3, nudge`: equal ones in a row together. */
function inShort(labels: readonly string[]): string {
  const rows: { label: string; times: number }[] = [];
  for (const label of labels) {
    const last = rows.at(-1);
    if (last?.label === label) last.times += 1;
    else rows.push({ label, times: 1 });
  }
  return rows.map(({ label, times }) => (times === 1 ? label : `${label} x${times}`)).join(", ");
}

const isIn = (at: number, { from, until }: Phase): boolean => at >= from && at < until;

/** Not counting that an earlier note is shown again. */
function isActedOn({ verdict, answer }: Exchange): boolean {
  return /^(nudge|force-done|short-circuit)/.test(verdict) || answer === "other" || answer === "ended";
}

function middleAndTail(values: readonly number[]): string {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? "-" : [0.5, 0.99].map((share) => quantile(known, share).toFixed(1)).join(" / ");
}

function fromTo(values: readonly number[]): string {
  if (values.length === 0) return "-";
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0));
  return least === most ? String(least) : `${least}..${most}`;
}
