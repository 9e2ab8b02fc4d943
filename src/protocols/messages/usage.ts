import { countIn, isCount } from "../answer/tokens-used.ts";
import { isObject } from "../json/json.ts";
import type { Usage } from "../protocol.ts";

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens: input, output_tokens: output } = value;
  if (!isCount(input) && !isCount(output)) return undefined;
  const [cached, written] = [value.cache_read_input_tokens, value.cache_creation_input_tokens].map(countIn);
  return {
    // This API counts what it read from its cache, and wrote there, beside the input.
    inputTokens: countIn(input) + (cached ?? 0) + (written ?? 0),
    outputTokens: countIn(output),
    ...(cached ? { cachedInputTokens: cached } : {}),
    ...(written ? { cacheWriteTokens: written } : {}),
  };
}
