import { objectIn } from "../json/json.ts";
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
