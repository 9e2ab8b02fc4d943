import type { Price } from "../../policy/policy.ts";

/** When the prices below were read, as year and month. */
export const LIST_PRICES_AT = "2025-11";

const row = (input: number, output: number, cachedInput: number) => ({ input, output, cachedInput });

/** Vendors' list prices of a million tokens, in US dollars, for models that a policy gives no price for. */
export const listPrices: Readonly<Record<string, Price>> = {
  "gpt-5*": row(1.25, 10, 0.125),
  "gpt-5-mini*": row(0.25, 2, 0.025),
  "gpt-4o": row(2.5, 10, 1.25),
  "claude-opus-4*": row(15, 75, 1.5),
  "claude-opus-4-5*": row(5, 25, 0.5),
  "claude-sonnet-4*": row(3, 15, 0.3),
  "claude-haiku-4-5*": row(1, 5, 0.1),
  "gemini-2.5-pro*": row(1.25, 10, 0.125),
  "gemini-2.5-flash*": row(0.3, 2.5, 0.03),
};
