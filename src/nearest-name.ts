/** Of the known names the one that a misspelt name was most likely meant to be. */
export function nearestName(name: string, known: readonly string[]): string {
  return known.reduce((best, one) => (distance(name, one) < distance(name, best) ? one : best));
}

/** How many letters one must insert, remove or replace to get from `a` to `b` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
