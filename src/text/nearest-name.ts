/** Of the known names the one that a misspelt name was most likely meant to be. Undefined where none resembles it. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const away = (one: string) => Math.min(distance(name, one), ...partsOf(one).map((part) => distance(name, part) + 1));
  const [nearest] = names.map((one) => ({ one, away: away(one) })).sort((a, b) => a.away - b.away);
  const isMeant = nearest !== undefined && [nearest.one, ...partsOf(nearest.one)].some((one) => resembles(name, one));
  return isMeant ? nearest.one : undefined;
}

/** Words of a name by which it may be called alone: `cycle` of `call-cycle`. */
const partsOf = (name: string): readonly string[] => name.split(/[-:_]/).filter(({ length }) => length > 3);

/** How many letters of a text may differ from a known name where a message repeats it: too few to hold a secret. */
const MISSPELT = 2;

/**
 * A wrong value as messages tell it: by its kind. People put secrets into wrong places, and messages go to logs; so a text is
 * repeated only where it is a known name but for a letter or two.
 */
export function shownValue(value: unknown, names: readonly string[] = []): string {
  if (typeof value === "string" && names.length === 0) return "a text";
  if (typeof value === "string") return isMisspelt(value, names) ? JSON.stringify(value) : "another text";
  if (typeof value === "number") return "a number";
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a mapping";
}

/** Message about an unknown field, under the same rule. */
export function unknownField(name: string, names: readonly string[]): string {
  const what = isMisspelt(name, names) ? `no ${JSON.stringify(name)}` : "a name that is not known";
  return `has ${what}; ${knownInstead(name, names)}`;
}

export function isMisspelt(name: string, names: readonly string[]): boolean {
  return names.some((one) => Math.abs(one.length - name.length) <= MISSPELT && distance(name, one) <= MISSPELT);
}

/** Message about an unknown name: the one that was likely meant, else all known ones. */
export function knownInstead(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return `${names.length === 1 ? "the only one is" : "there are"} ${names.map((one) => `"${one}"`).join(", ")}.`;
}

/** The same where the sentence has named all of them: its end, from the semicolon on. */
export function meantInstead(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? "." : `; did you mean "${nearest}"?`;
}

/** Fewer than half of the letters differ, or one of the names is the beginning of the other. */
function resembles(name: string, other: string): boolean {
  if (name !== "" && (other.startsWith(name) || name.startsWith(other))) return true;
  return distance(name, other) < Math.max(name.length, other.length) / 2;
}

/** How many letters one must insert, remove, replace or swap with their neighbour to get from `a` to `b` (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other;
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
