import equal from "fast-deep-equal";

/** Deep equality of two JSON values: the order of keys means nothing, that of elements does. Where nothing can be said, they are not equal. */
export function equalJson(one: unknown, other: unknown): boolean {
  try {
    return equal(one, other);
  } catch {
    // Nested too deep, or with a name that is a method to the package, such as `valueOf`.
    return false;
  }
}
