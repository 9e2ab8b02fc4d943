import { rungs } from "../../src/policy/schema.ts";
import { share, table } from "../report/markdown.ts";
import { type Compared, hardestOf, liveDifferences, type ReplayTouch } from "./compare.ts";

/** Markdown: what was touched live beside what replay says, all ways together, and why the two differ. */
export function liveReport(all: readonly Compared[]): string {
  const differing = all.filter(({ difference }) => difference !== undefined);
  return [
    `### Touched\n\n${touchedTable(all)}`,
    differing.length === 0 ? "No conversation differs." : causes(differing),
  ].join("\n\n");
}

function touchedTable(all: readonly Compared[]): string {
  const head = [
    "set",
    "loops: replay",
    "live",
    "healthy: replay",
    "live",
    "forced or ended: replay",
    "live",
    "answers replaced: loops",
    "healthy",
    "differ",
    "exchanges",
  ];
  const groups = groupedBy(all, ({ of }) => of.set);
  return table(
    head,
    [...groups].map(([name, own]) => [name, ...touchedRow(own)]),
  );
}

/** Rates are over what counts; differences are over all. */
function touchedRow(own: readonly Compared[]): readonly string[] {
  const counted = own.filter(({ of }) => of.counts);
  const loops = counted.filter(({ of }) => of.loops);
  const healthy = counted.filter(({ of }) => !of.loops);
  const reach = (some: readonly Compared[], least: number, touches: (one: Compared) => readonly ReplayTouch[]) =>
    some.filter((one) => hardestOf(touches(one)) >= least).length;
  const both = (some: readonly Compared[], least: number) =>
    [reach(some, least, ({ replayed }) => replayed), reach(some, least, ({ live }) => live.touches)] as const;
  const whole = (some: readonly Compared[], parts: readonly number[]) =>
    parts.map((part) => share({ part, whole: some.length }));
  const replaced = (some: readonly Compared[]) =>
    some.reduce((sum, { live }) => sum + live.touches.filter((touch) => touch.replaced).length, 0);
  return [
    ...whole(loops, both(loops, 0)),
    ...whole(healthy, both(healthy, 0)),
    ...both(healthy, rungs.indexOf("force-done")).map(String),
    ...[loops, healthy].map((some) => String(replaced(some))),
    String(own.filter(({ difference }) => difference !== undefined).length),
    String(own.reduce((sum, { live }) => sum + live.exchanges, 0)),
  ];
}

function causes(differing: readonly Compared[]): string {
  const known = groupedBy(differing, ({ difference }) => difference ?? "other");
  return [...known].map(([cause, own]) => `- \`${cause}\` (${own.length}): ${liveDifferences[cause]}`).join("\n");
}

function groupedBy<T, K>(all: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
