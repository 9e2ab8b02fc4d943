import equal from "fast-deep-equal";

/** Deep equality of two JSON values: the order of keys means nothing, that of elements does. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== "object" || typeof other !== "object") return one === other;
  try {
    return equal(renamed(one), renamed(other));
  } catch {
    // Nested so deep that nothing can be said of it: it is equal to nothing.
    return false;
  }
}

/** With a mark before every name: some are methods to the package, and in JSON names like any other. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [`.${key}`, renamed(inner)]));
}
