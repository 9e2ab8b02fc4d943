import { isObject, type JsonObject, objectIn } from "../json/json.ts";
import type { Usage } from "../protocol.ts";

/** Usage as OpenAI's APIs count it: what came from a cache is part of the input. Undefined where nothing is counted. */
export function tokensUsed(input: unknown, output: unknown, inputDetails: unknown): Usage | undefined {
  if (!isCount(input) && !isCount(output)) return undefined;
  const cached = countIn(objectIn(inputDetails).cached_tokens);
  return {
    inputTokens: countIn(input),
    outputTokens: countIn(output),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}

/** More than any model takes or says at once. */
const MOST_TOKENS = 1e9;

/** What an upstream says is added to sums and budgets, which a negative or an endless number would undo. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MOST_TOKENS;
}

export function countIn(value: unknown): number {
  return isCount(value) ? value : 0;
}

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
