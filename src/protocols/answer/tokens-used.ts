import { objectIn } from "../json/json.ts";
import type { Usage } from "../protocol.ts";

/** Usage as OpenAI's APIs count it: what came from a cache is part of the input. Undefined where nothing is counted. */
export function tokensUsed(input: unknown, output: unknown, inputDetails: unknown): Usage | undefined {
  if (typeof input !== "number" && typeof output !== "number") return undefined;
  const cached = objectIn(inputDetails).cached_tokens;
  return {
    inputTokens: typeof input === "number" ? input : 0,
    outputTokens: typeof output === "number" ? output : 0,
    ...(typeof cached === "number" && cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}
