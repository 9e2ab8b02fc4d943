import { rungs } from "../../src/policy/budget.ts";
import type { Fold, Folds } from "./folds.ts";
import type { Share } from "./interval.ts";
import type { CaseScore, Group, Measured, Mistake, SessionScore } from "./score.ts";
import type { Variant } from "./sweep.ts";
import { percent, share, table } from "./table.ts";
import type { Spent } from "./tokens.ts";

/** All that was measured in one run. */
export interface Findings {
  /** How many conversations, and of which collections. */
  readonly source: string;
  /** Plain rules first, the default policy last. */
  readonly rows: readonly Measured[];
  /** With `--sweep` alone. */
  readonly variants?: readonly Variant[];
  readonly folds?: Folds;
}

/** Markdown, sections under headings of the third rank. */
export function report({ source, rows, variants, folds }: Findings): string {
  const guard = rows.at(-1);
  const hasSessions = guard?.sessions !== undefined;
  return [
    source,
    section("Rules side by side", mainTable(rows)),
    section("Cases restated from real threads", threadTables(rows)),
    ...(hasSessions ? sessionSections(rows, guard) : []),
    ...(variants === undefined ? [] : [section("Other counts", sweepTable(variants))]),
    ...(folds === undefined ? [] : [section("Without each source", foldTables(folds, guard?.sessions))]),
  ].join("\n\n");
}

function sessionSections(rows: readonly Measured[], guard: Measured): readonly string[] {
  return [
    section("How late", delayTable(rows)),
    section("Tokens after the onset", tokenTable(rows)),
    section("Kinds of loops", kindTable(guard.kinds)),
    section("Sources", familyTable(guard.families)),
    section("Who spoke first", speakerTable(guard)),
  ];
}

const section = (title: string, body: string): string => `### ${title}\n\n${body}`;

function mainTable(rows: readonly Measured[]): string {
  return table(
    [
      "rule",
      "hard loops found",
      "hard healthy flagged",
      "healthy flagged",
      "nudged",
      "forced",
      "ended",
      "loops found",
      "flagged early",
    ],
    rows.map(({ name, cases, sessions }) => [
      name,
      share(cases.found),
      share(cases.flagged),
      ...(sessions === undefined ? Array<string>(6).fill("-") : healthyAndLoops(sessions)),
    ]),
  );
}

/** Loops and healthy cases of each family, by the guard and by the best of the plain rules. */
function threadTables(rows: readonly Measured[]): string {
  const told = rows.flatMap(({ name, threads }) => (threads === undefined ? [] : [{ name, threads }]));
  const guard = told.at(-1);
  if (guard === undefined) return "There are none here: UNLOOP_DATA names no folder with cases/threads-dev.jsonl.";
  const side = table(
    ["rule", "hard loops found", "hard healthy flagged", "more than a nudge on honest waiting"],
    told.map(({ name, threads }) => [name, share(threads.found), share(threads.flagged), share(threads.tooHard)]),
  );
  const families = table(
    ["family", "loops", "healthy", ...told.map(({ name }) => `${name}: found / flagged`)],
    guard.threads.families.map(({ name, score }, i) => [
      name,
      String(score.found.whole),
      String(score.flagged.whole),
      ...told.map(({ threads }) => foundAndFlagged(threads.families[i]?.score ?? score)),
    ]),
  );
  return `${side}\n\n${families}`;
}

const foundAndFlagged = ({ found, flagged }: CaseScore): string => `${found.part} / ${flagged.part}`;

function healthyAndLoops({ flagged, healthyBy, found, early }: SessionScore): readonly string[] {
  return [
    share(flagged),
    String(healthyBy.nudge),
    String(healthyBy["force-done"]),
    String(healthyBy["short-circuit"]),
    share(found),
    share(early),
  ];
}

function delayTable(rows: readonly Measured[]): string {
  return table(
    ["rule", "loops found", "at once", "median", "p90", "most", "nudged", "forced", "ended"],
    rows.map(({ name, sessions }) => [
      name,
      ...(sessions === undefined ? [] : [share(sessions.found), ...delayCells(sessions)]),
    ]),
  );
}

function delayCells({ delay, foundBy }: SessionScore): readonly string[] {
  const turns = delay === undefined ? ["-", "-", "-", "-"] : [share(delay.atOnce), delay.median, delay.p90, delay.most];
  return [...turns, foundBy.nudge, foundBy["force-done"], foundBy["short-circuit"]].map(String);
}

function tokenTable(rows: readonly Measured[]): string {
  const total = rows.at(-1)?.spent?.afterOnset;
  const intro = `All looping runs together, from their onset on: ${thousands(total?.sent)} tokens sent, ${thousands(total?.written)} written. The columns give the share of these after each rung of the rule:`;
  const head = rungs.flatMap((rung) => [`${rung}: sent`, "average run", "written"]);
  const body = rows.map(({ name, spent }) => [name, ...(spent === undefined ? [] : spentCells(spent))]);
  return `${intro}\n\n${table(["rule", ...head], body)}`;
}

function spentCells({ after }: Spent): readonly string[] {
  return rungs.flatMap((rung) => {
    const spared = after[rung];
    return spared === undefined ? ["-", "-", "-"] : [spared.sent, spared.run, spared.written].map(percent);
  });
}

const thousands = (tokens = 0): string => `${Math.round(tokens / 1000).toLocaleString("en")},000`;

function kindTable(kinds: readonly Group[]): string {
  return table(
    [
      "kind",
      "found (drawn at random)",
      "found (all)",
      "early",
      "at once",
      "median",
      "p90",
      "nudged",
      "forced",
      "ended",
    ],
    kinds.map(({ name, random, all }) => [
      name,
      share(random.found),
      share(all.found),
      String(all.early.part),
      ...delayCells(all).filter((_, i) => i !== 3),
    ]),
  );
}

function familyTable(families: readonly Group[]): string {
  return table(
    [
      "source",
      "healthy",
      "nudged",
      "forced",
      "ended",
      "loops",
      "found",
      "early",
      "not at random: healthy flagged",
      "loops found",
    ],
    families.map(({ name, random, all }) => [
      name,
      String(random.healthy),
      String(random.healthyBy.nudge),
      String(random.healthyBy["force-done"]),
      String(random.healthyBy["short-circuit"]),
      String(random.loops),
      String(random.found.part),
      String(random.early.part),
      fraction(all.flagged, random.flagged),
      fraction(all.found, random.found),
    ]),
  );
}

const fraction = (all: Share, random: Share): string =>
  all.whole === random.whole ? "-" : `${all.part - random.part}/${all.whole - random.whole}`;

function speakerTable({ speakers }: Measured): string {
  return table(
    ["detector", "first to find a loop", "first, and too early", "first to flag a healthy run"],
    speakers.map(({ name, right, early, wrong }) => [name, ...[right, early, wrong].map(String)]),
  );
}

function sweepTable(variants: readonly Variant[]): string {
  return table(
    [
      "counts",
      "hard loops",
      "hard healthy",
      "healthy nudged",
      "forced",
      "ended",
      "loops found",
      "early",
      "median",
      "p90",
    ],
    variants.map(({ name, cases, sessions }) => [
      name,
      String(cases.found.part),
      String(cases.flagged.part),
      ...(sessions === undefined
        ? []
        : [
            ...[sessions.healthyBy.nudge, sessions.healthyBy["force-done"], sessions.healthyBy["short-circuit"]],
            ...[sessions.found.part, sessions.early.part],
            ...[sessions.delay?.median ?? "-", sessions.delay?.p90 ?? "-"],
          ].map(String)),
    ]),
  );
}

const RATES: readonly [string, (score: SessionScore) => Share][] = [
  ["healthy flagged", ({ flagged }) => flagged],
  ["healthy forced or ended", ({ intervened }) => intervened],
  ["loops found", ({ found }) => found],
  ["loops flagged early", ({ early }) => early],
];

function foldTables({ withoutOne, crossChosen, chosen }: Folds, standard: SessionScore | undefined): string {
  if (standard === undefined) return "-";
  const rates = RATES.map(([name, rate]) => {
    const { low, high } = rate(standard);
    return [
      name,
      share(rate(standard)),
      `${percent(low)} to ${percent(high)}`,
      spread(withoutOne, rate),
      share(rate(crossChosen)),
    ];
  });
  const choices = Object.entries(chosen).map(([name, times]) => `${name} (${times})`);
  return `${table(
    [
      "rate",
      "as it is",
      "95 % interval",
      "without one source, least to most",
      "each source by counts chosen without it",
    ],
    rates,
  )}\n\nCounts chosen, and for how many sources: ${choices.join(", ")}.`;
}

function spread(folds: readonly Fold[], rate: (score: SessionScore) => Share): string {
  const rates = folds.map(({ score }) => rate(score)).filter(({ whole }) => whole > 0);
  const ratios = rates.map(({ part, whole }) => part / whole);
  return `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`;
}

/** Ids only, no texts. */
export function confusions({ rows, variants = [] }: Findings): string {
  const lists = rows.map(({ name, mistakes }) => `${name} is wrong on:\n${indented(mistakes.map(describe))}`);
  const changes = variants.slice(1).map(({ name, worse, better }) => {
    const lines = [...worse.map((one) => `worse: ${one}`), ...better.map((one) => `better than: ${one}`)];
    return `${name}:\n${indented(lines)}`;
  });
  return [...lists, ...changes].join("\n\n");
}

function describe({ id, family, kind, counts, start, what, flags }: Mistake): string {
  const label = kind === "ok" || start === undefined ? kind : `${kind} from ${start}`;
  const seen = flags.map(({ turn, rung, by }) => `${turn} ${rung} ${by}`).join(", ");
  return `${what}: ${id} (${family}, ${label}${counts ? "" : ", not counted"})${seen === "" ? "" : ` at ${seen}`}`;
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join("\n") || "  nothing";
