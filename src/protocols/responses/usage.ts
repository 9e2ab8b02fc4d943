import { tokensUsed } from "../answer/tokens-used.ts";
import { objectIn } from "../json/json.ts";
import type { Usage } from "../protocol.ts";

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  const { input_tokens, output_tokens, input_tokens_details } = objectIn(value);
  return tokensUsed(input_tokens, output_tokens, input_tokens_details);
}
