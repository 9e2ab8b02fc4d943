// @ts-check
// Lines of a decision export, put together to the runs that they tell of.

/**
 * @typedef {{ thread: string, session?: string, total: number, steps: object[], repeats?: number, compactions?: number[] }} ExportedLine
 */

/**
 * Whether a value is a line of a decision export that tells of steps.
 * @param {any} value
 * @returns {value is ExportedLine}
 */
export const isExported = (value) =>
  typeof value?.thread === "string" && Array.isArray(value.steps) && Number.isSafeInteger(value.total);

/**
 * Runs by thread, in the order of their first lines. A later line tells a step again once its outcome is known; where
 * lines are missing, a run begins behind the gap.
 * @param {Iterable<ExportedLine>} lines in order
 * @returns {ExportedLine[]}
 */
export function exportedRuns(lines) {
  const runs = new Map();
  for (const line of lines) {
    const { total, steps } = runs.get(line.thread) ?? { total: 0, steps: [] };
    const kept = line.total - line.steps.length - total + steps.length;
    steps.length = kept <= steps.length ? Math.max(kept, 0) : 0;
    for (const step of line.steps) steps.push(step);
    runs.set(line.thread, { ...line, steps });
  }
  return [...runs.values()];
}
