import type { Price } from "../../policy/policy.ts";

/** When the prices below were read, as year and month. */
export const LIST_PRICES_AT = "2025-11";

const row = (input: number, output: number, cachedInput: number) => ({ input, output, cachedInput });

/** Vendors' list prices of a million tokens, in US dollars, for models that a policy gives no price for. */
export const listPrices: Readonly<Record<string, Price>> = {
  "gpt-5*": row(1.25, 10, 0.125),
  "gpt-5-mini*": row(0.25, 2, 0.025),
  "gpt-5-nano*": row(0.05, 0.4, 0.005),
  "gpt-4.1*": row(2, 8, 0.5),
  "gpt-4.1-mini*": row(0.4, 1.6, 0.1),
  "gpt-4o*": row(2.5, 10, 1.25),
  "gpt-4o-mini*": row(0.15, 0.6, 0.075),
  "o3*": row(2, 8, 0.5),
  "o4-mini*": row(1.1, 4.4, 0.275),
  "claude-opus-4*": row(15, 75, 1.5),
  "claude-opus-4-5*": row(5, 25, 0.5),
  "claude-sonnet-4*": row(3, 15, 0.3),
  "claude-haiku-4-5*": row(1, 5, 0.1),
  "claude-3-5-haiku*": row(0.8, 4, 0.08),
  "gemini-2.5-pro*": row(1.25, 10, 0.125),
  "gemini-2.5-flash*": row(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite*": row(0.1, 0.4, 0.01),
};
