import { percent, share, table } from "../report/markdown.ts";
import type { Judged } from "./ask-all.ts";
import type { Conversation } from "./conversations.ts";
import { type LoopScore, type Share, scoreOfJudged, scoresBy } from "./score.ts";

/** One detector over all conversations. */
export interface Row {
  readonly name: string;
  readonly judged: readonly Judged[];
}

/**
 * Markdown: all together and by set; then what was found and flagged by kind, language and, where asked for, family.
 * @param detailed rows that the last ones are about
 */
export function loopbenchReport(
  rows: readonly Row[],
  detailed: readonly Row[],
  { families }: { readonly families: boolean },
): string {
  return [
    sizes(rows[0]?.judged ?? []),
    `### All sets\n\n${leaderboard(rows)}`,
    `### Sets\n\n${setTable(rows)}`,
    `### Kinds\n\n${partTable(detailed, ({ kind }) => kind)}`,
    `### Languages\n\n${partTable(detailed, ({ language }) => language)}`,
    ...(families ? [`### Families\n\n${partTable(detailed, ({ family }) => family)}`] : []),
  ].join("\n\n");
}

function sizes(judged: readonly Judged[]): string {
  const told = [...scoresBy(judged, ({ set }) => set).keys()].map((set) => {
    const own = judged.filter(({ of }) => of.set === set).length;
    return `${own} in ${set}`;
  });
  return `${judged.length} conversations: ${told.join(", ")}`;
}

function leaderboard(rows: readonly Row[]): string {
  const head = [
    "detector",
    "found",
    "95 %",
    "flagged",
    "95 %",
    "harm: nudged",
    "forced",
    "ended",
    "early",
    "loops with any flag",
    "delay",
    "p90",
    "failed",
  ];
  return table(
    head,
    rows.map(({ name, judged }) => leaderboardRow(name, scoreOfJudged(judged))),
  );
}

function leaderboardRow(
  name: string,
  { found, early, touched, flagged, delay, harm, failed }: LoopScore,
): readonly string[] {
  return [
    name,
    share(found),
    interval(found),
    share(flagged),
    interval(flagged),
    ...[harm.nudge, harm.force, harm.end].map(String),
    `${early.part}`,
    share(touched),
    String(delay?.median ?? "-"),
    String(delay?.p90 ?? "-"),
    `${failed.part}`,
  ];
}

function interval({ whole, low, high }: Share): string {
  return whole === 0 ? "-" : `${percent(low)} to ${percent(high)}`;
}

/** One row for each detector, with what it found and flagged in each set. */
function setTable(rows: readonly Row[]): string {
  const scores = rows.map(({ judged }) => scoresBy(judged, ({ set }) => set));
  const sets = [...(scores[0]?.keys() ?? [])];
  const sizes = sets.map((set) => {
    const score = scores[0]?.get(set);
    return `${set}: found of ${score?.found.whole} / flagged of ${score?.flagged.whole}`;
  });
  return table(
    ["detector", ...sizes],
    rows.map(({ name }, i) => [name, ...sets.map((set) => foundAndFlagged(scores[i]?.get(set)))]),
  );
}

/** One row for each name, with what each detector found and flagged there. */
function partTable(rows: readonly Row[], nameOf: (of: Conversation) => string): string {
  const scores = rows.map(({ judged }) => scoresBy(judged, nameOf));
  const names = [...(scores[0]?.keys() ?? [])];
  const head = ["found / flagged", "loops", "healthy", ...rows.map(({ name }) => name)];
  return table(
    head,
    names.map((name) => {
      const [first] = scores.map((one) => one.get(name));
      return [
        name,
        String(first?.found.whole ?? 0),
        String(first?.flagged.whole ?? 0),
        ...scores.map((one) => foundAndFlagged(one.get(name))),
      ];
    }),
  );
}

function foundAndFlagged(score: LoopScore | undefined): string {
  return score === undefined ? "-" : `${withInterval(score.found)} / ${withInterval(score.flagged)}`;
}

/** Small parts say next to nothing: there the interval would only hide it. */
const LEAST = 20;

function withInterval({ part, whole, low, high }: Share): string {
  if (whole < LEAST) return String(part);
  return `${part} (${Math.round(100 * low)}–${Math.round(100 * high)} %)`;
}

/** The conversations that a detector judges otherwise than their labels. */
export function mistakesOf({ judged }: Row): string {
  const wrong = judged.flatMap((one) => {
    const { found, early, flagged } = scoreOfJudged([{ ...one, of: { ...one.of, counts: true } }]);
    const what = [
      ...(found.part < found.whole ? ["missed"] : []),
      ...(early.part > 0 ? ["early"] : []),
      ...(flagged.part > 0 ? ["flagged"] : []),
    ];
    return what.length === 0 ? [] : [mistakeLine(one, what.join(", "))];
  });
  return wrong.sort().join("\n");
}

function mistakeLine({ of, flags: [first], failure }: Judged, what: string): string {
  const said = first && `${first.verdict} at turn ${first.turn}${first.reason ? ` (${first.reason})` : ""}`;
  const about = [
    of.kind,
    of.counts ? "" : "doubted",
    of.start === undefined ? "" : `label ${of.start}`,
    said,
    failure?.message,
  ];
  return `${what}: ${of.set}/${of.id} (${about.filter(Boolean).join("; ")})`;
}

/** Failures by kind, each with an example. */
export function failuresOf({ judged }: Row): string {
  const failures = judged.flatMap(({ of, failure }) => (failure === undefined ? [] : [{ of, failure }]));
  const kinds = [...new Set(failures.map(({ failure }) => failure.kind))];
  return kinds
    .map((kind) => {
      const all = failures.filter(({ failure }) => failure.kind === kind);
      const [first] = all;
      return `${kind}: ${all.length} conversations; first ${first?.of.id}, turn ${first?.failure.turn}: ${first?.failure.message}`;
    })
    .join("\n");
}
