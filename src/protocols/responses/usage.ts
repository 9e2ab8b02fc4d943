import { objectIn } from "../json/json.ts";
import type { Usage } from "../protocol.ts";

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  const { input_tokens: input, output_tokens: output, input_tokens_details: details } = objectIn(value);
  if (typeof input !== "number" && typeof output !== "number") return undefined;
  const cached = objectIn(details).cached_tokens;
  return {
    inputTokens: typeof input === "number" ? input : 0,
    outputTokens: typeof output === "number" ? output : 0,
    ...(typeof cached === "number" && cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}
