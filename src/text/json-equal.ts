/** Deep equality of two JSON values: the order of keys means nothing, that of elements does. Where nothing can be said, they are not equal. */
export function equalJson(one: unknown, other: unknown): boolean {
  try {
    return areEqual(one, other);
  } catch {
    // Nested too deep.
    return false;
  }
}

function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isNested(one) || !isNested(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  const isSame = (name: string) => Object.hasOwn(other, name) && areEqual(one[name], other[name]);
  return names.length === Object.keys(other).length && names.every(isSame);
}

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
