/** Which names have series of their own: those of most exchanges, as of the last look. */
export interface Biggest {
  add(name: string): void;
  /** Looks again. @returns the names that have lost theirs */
  settle(): readonly string[];
  /** The name itself, or `(other)` for one without series of its own: no name in a configuration has parentheses. */
  labelOf(name: string): string;
}

/** Names that are counted at all. */
const MAX_NAMES = 10_000;

/** @param most names with series of their own */
export function biggest(most: number): Biggest {
  const sizes = new Map<string, number>();
  let shown = new Set<string>();
  return {
    add(name) {
      if (sizes.has(name) || sizes.size < MAX_NAMES) sizes.set(name, (sizes.get(name) ?? 0) + 1);
    },
    settle() {
      const ranked = [...sizes].sort(([, a], [, b]) => b - a).slice(0, most);
      const before = shown;
      shown = new Set(ranked.map(([name]) => name));
      return [...before].filter((name) => !shown.has(name));
    },
    labelOf: (name) => (shown.has(name) ? name : "(other)"),
  };
}
