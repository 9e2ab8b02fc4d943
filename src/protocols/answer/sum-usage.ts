import { innerEnd, isObject, type JsonObject, jsonText, membersOf, parseJson, rootSpan } from "../json/json.ts";

/** Details of details are counted; what is nested deeper is no count of anything. */
const MAX_DEPTH = 4;

/** Two usages in one: every number the sum of both, in its details too; what only one of them tells stays. */
export function sum(one: JsonObject, other: JsonObject, depth = 1): JsonObject {
  const total = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) total.set(key, sumOf(total.get(key), value, depth));
  return Object.fromEntries(total);
}

function sumOf(one: unknown, other: unknown, depth: number): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (isObject(one) && isObject(other) && depth < MAX_DEPTH) return sum(one, other, depth + 1);
  return other ?? one;
}

/** A whole answer with the usage of another one added to its own; all else byte for byte. */
export function addUsage(earlier: string, answer: string): string {
  const used = usageIn(earlier);
  const body = parseJson(answer);
  if (used === undefined || !isObject(body)) return answer;
  const json = jsonText(isObject(body.usage) ? sum(used, body.usage) : used);
  if (json === undefined) return answer;
  const root = rootSpan(answer);
  const span = membersOf(answer, root).get("usage");
  if (span !== undefined) return answer.slice(0, span.start) + json + answer.slice(span.end);
  const end = innerEnd(answer, root);
  return `${answer.slice(0, end)},"usage":${json}${answer.slice(end)}`;
}

function usageIn(answer: string): JsonObject | undefined {
  const body = parseJson(answer);
  return isObject(body) && isObject(body.usage) ? body.usage : undefined;
}
