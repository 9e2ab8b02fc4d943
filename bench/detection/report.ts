import type { Share } from "./interval.ts";
import type { Group, Measured, Mistake, SessionScore } from "./score.ts";
import { share, table } from "./table.ts";

/** All that was measured in one run. */
export interface Findings {
  /** How many conversations, and of which collections. */
  readonly source: string;
  /** Plain rules first, the default policy last. */
  readonly rows: readonly Measured[];
}

/** Markdown, sections under headings of the third rank. */
export function report({ source, rows }: Findings): string {
  const guard = rows.at(-1);
  const hasSessions = guard?.sessions !== undefined;
  return [
    source,
    section("Rules side by side", mainTable(rows)),
    section("Cases restated from real threads", threadTable(rows)),
    ...(hasSessions ? sessionSections(rows, guard) : []),
  ].join("\n\n");
}

function sessionSections(rows: readonly Measured[], guard: Measured): readonly string[] {
  return [
    section("How late", delayTable(rows)),
    section("Kinds of loops", kindTable(guard.kinds)),
    section("Sources", familyTable(guard.families)),
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

function threadTable(rows: readonly Measured[]): string {
  const told = rows.flatMap(({ name, threads }) => (threads === undefined ? [] : [{ name, threads }]));
  if (told.length === 0) return "There are none here: UNLOOP_DATA names no folder with cases/threads-dev.jsonl.";
  return table(
    ["rule", "hard loops found", "hard healthy flagged", "more than a nudge on honest waiting"],
    told.map(({ name, threads }) => [name, share(threads.found), share(threads.flagged), share(threads.tooHard)]),
  );
}

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

/** Ids only, no texts. */
export function confusions({ rows }: Findings): string {
  return rows
    .map(
      ({ name, mistakes }) =>
        `${name} is wrong on:\n${mistakes.map((one) => `  ${describe(one)}`).join("\n") || "  nothing"}`,
    )
    .join("\n\n");
}

function describe({ id, family, kind, counts, start, what, flags }: Mistake): string {
  const label = kind === "ok" || start === undefined ? kind : `${kind} from ${start}`;
  const seen = flags.map(({ turn, rung, by }) => `${turn} ${rung} ${by}`).join(", ");
  return `${what}: ${id} (${family}, ${label}${counts ? "" : ", not counted"})${seen === "" ? "" : ` at ${seen}`}`;
}
