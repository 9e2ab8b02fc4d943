import { rungs } from "../../src/policy/budget.ts";
import { share, table } from "../detection/table.ts";
import { type Compared, hardestOf, liveDifferences, type LiveWay, type ReplayTouch } from "./compare.ts";

/** Markdown: what was touched live beside what replay says, in each way, and every difference. */
export function liveReport(all: readonly Compared[]): string {
  const differing = all.filter(({ difference }) => difference !== undefined);
  return [
    `### Touched\n\n${touchedTable(all)}`,
    `### Differences\n\n${differing.length === 0 ? "None." : differenceTable(differing)}`,
    causes(differing),
  ].join("\n\n");
}

function touchedTable(all: readonly Compared[]): string {
  const head = [
    "set",
    "asked as",
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
  const groups = groupedBy(all, ({ case: { set }, way }) => `${set}|${nameOf(way)}`);
  return table(
    head,
    [...groups].map(([name, own]) => [...name.split("|"), ...touchedRow(own)]),
  );
}

/** Rates are over what counts; differences are over all. */
function touchedRow(own: readonly Compared[]): readonly string[] {
  const counted = own.filter(({ case: { of } }) => of.counts);
  const loops = counted.filter(({ case: { of } }) => of.loops);
  const healthy = counted.filter(({ case: { of } }) => !of.loops);
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

/** One row for all ways in which a conversation differs alike. */
function differenceTable(differing: readonly Compared[]): string {
  const head = ["conversation", "label", "asked as", "replay", "live", "cause"];
  const groups = groupedBy(differing, ({ case: { set, of }, replayed, live, difference }) =>
    [`${set}/${of.id}`, labelOf(of), told(replayed), told(live.touches), difference].join("|"),
  );
  return table(
    head,
    [...groups].map(([name, own]) => {
      const [id = "", label = "", replayed = "", live = "", cause = ""] = name.split("|");
      return [id, label, waysOf(own.map(({ way }) => way)), replayed, live, cause];
    }),
  );
}

function labelOf({ loops, counts }: Compared["case"]["of"]): string {
  return `${loops ? "loop" : "healthy"}${counts ? "" : ", not counted"}`;
}

/** Interventions that a row names. */
const MOST = 4;

function told(touches: readonly (ReplayTouch & { readonly replaced?: boolean })[]): string {
  const shown = touches
    .slice(0, MOST)
    .map(({ turn, rung, detector, replaced }) => `${turn} ${rung} ${detector}${replaced ? " (replaced)" : ""}`);
  return [...shown, ...(touches.length > MOST ? ["…"] : [])].join(", ") || "nothing";
}

function waysOf(ways: readonly LiveWay[]): string {
  const formats = groupedBy(ways, ({ format }) => format.name);
  return [...formats].map(([name, own]) => (own.length > 1 ? name : nameOf(own[0] ?? fail()))).join(", ");
}

function fail(): never {
  throw new Error("No group is empty.");
}

function nameOf({ format, streams }: LiveWay): string {
  return `${format.name}, ${streams ? "streamed" : "JSON"}`;
}

function causes(differing: readonly Compared[]): string {
  const known = groupedBy(differing, ({ difference }) => difference ?? "other");
  return [...known.keys()].map((cause) => `- \`${cause}\`: ${liveDifferences[cause]}`).join("\n");
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
