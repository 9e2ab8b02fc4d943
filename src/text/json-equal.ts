import equal from "fast-deep-equal";

/** Deeper values are compared as texts: recursion must end. */
const MAX_DEPTH = 1_000;
/** Names that `fast-deep-equal` takes for methods; in JSON they are names like any other. */
const METHODS = new Set(["constructor", "valueOf", "toString"]);

/** Deep equality of two JSON values: the order of keys means nothing, that of elements does. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== "object" || typeof other !== "object") return one === other;
  const [readiness, right] = [readinessOf(one, 0), readinessOf(other, 0)];
  if (readiness === "deep" || right === "deep") return textOf(one) === textOf(other);
  return readiness === "named" || right === "named" ? equal(renamed(one), renamed(other)) : equal(one, other);
}

type Readiness = "plain" | "named" | "deep";

function readinessOf(value: unknown, depth: number): Readiness {
  if (typeof value !== "object" || value === null) return "plain";
  if (depth >= MAX_DEPTH) return "deep";
  let readiness: Readiness = "plain";
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && METHODS.has(key)) readiness = "named";
    const within = readinessOf(inner, depth + 1);
    if (within === "deep") return "deep";
    if (within === "named") readiness = "named";
  }
  return readiness;
}

/** With a mark before every name. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [`.${key}`, renamed(inner)]));
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested so deep that nothing can be said of it: it is equal to nothing.
    return undefined;
  }
}
