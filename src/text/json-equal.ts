import { isObject } from "./is-object.ts";

/** Deeper values are compared as texts: recursion must end. */
const MAX_DEPTH = 1_000;

/** Deep equality of two JSON values: the order of keys means nothing, that of elements does. */
export function equalJson(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other || depth > MAX_DEPTH) return one === other || areEqualTexts(one, other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((element, at) => equalJson(element, other[at], depth + 1));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  const isMember = (name: string) => Object.hasOwn(other, name) && equalJson(one[name], other[name], depth + 1);
  return names.length === Object.keys(other).length && names.every(isMember);
}

function areEqualTexts(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    // Nested so deep that nothing can be said of it: it is equal to nothing.
    return false;
  }
}
