import type { Report } from "../load/client.ts";

/** Answers that were not as they should be. */
export function wrongOf(reports: readonly Report[]): number {
  return reports.flatMap(({ wrong }) => Object.values(wrong)).reduce((sum, count) => sum + count, 0);
}

/** `0`, or how many answers were wrong in which way. */
export function wrongText(reports: readonly Report[]): string {
  const counts = new Map<string, number>();
  for (const [why, count] of reports.flatMap(({ wrong }) => Object.entries(wrong)))
    counts.set(why, (counts.get(why) ?? 0) + count);
  return counts.size === 0 ? "0" : [...counts].map(([why, count]) => `${count} ${why}`).join(", ");
}
