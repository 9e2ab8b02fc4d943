import type { Measured, SessionScore } from "./score.ts";

export function table(rows: readonly Measured[], source: string): string {
  const head = [
    "rule",
    "hard loops found",
    "hard healthy flagged",
    "healthy nudged",
    "forced or ended",
    "loops found",
    "flagged early",
    "median delay",
  ];
  const body = rows.map(({ name, cases, sessions }) => [
    name,
    share(cases.found, cases.loops),
    share(cases.flagged, cases.healthy),
    ...(sessions === undefined ? ["-", "-", "-", "-", "-"] : sessionCells(sessions)),
  ]);
  const widths = head.map((cell, i) => Math.max(cell.length, ...body.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [source, "", line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function sessionCells({ healthy, nudged, forced, loops, found, early, medianDelay }: SessionScore): readonly string[] {
  return [
    share(nudged, healthy),
    share(forced, healthy),
    share(found, loops),
    share(early, loops),
    medianDelay === undefined ? "-" : `${medianDelay} turns`,
  ];
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${part}/${whole} (${((100 * part) / whole).toFixed(1)} %)`;
}

export function confusions(row: Measured | undefined): string {
  return row === undefined ? "" : `\n${row.name} is wrong on:\n${row.wrong.map((line) => `  ${line}`).join("\n")}`;
}
