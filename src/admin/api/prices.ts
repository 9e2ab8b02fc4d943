import { costOf, type Policy, type Price, priceFor } from "../../policy/policy.ts";

/** When the prices below were read, as year and month. */
export const LIST_PRICES_AT = "2025-11";

/** Cost of a session in whole currency units, and where the price is from; null where there is none. */
export interface Cost {
  readonly cost: number | null;
  readonly pricedBy: "policy" | "list" | null;
}

/** @param policy under which it was judged, where that is still there */
export function costUnder(policy: Policy | undefined, model: string, sums: Readonly<Record<string, number>>): Cost {
  const own = priceFor(policy?.prices ?? {}, model);
  const price = own ?? priceFor(listPrices, model);
  if (price === undefined) return { cost: null, pricedBy: null };
  const { inputTokens = 0, outputTokens = 0, cachedTokens: cachedInputTokens = 0 } = sums;
  const cost = costOf(price, { inputTokens, outputTokens, cachedInputTokens }) / 1e6;
  return { cost, pricedBy: own ? "policy" : "list" };
}

const price = (input: number, output: number, cachedInput: number): Price => ({ input, output, cachedInput });

/** Vendors' list prices of a million tokens, in US dollars, for models that a policy gives no price for. */
const listPrices: Readonly<Record<string, Price>> = {
  "gpt-5*": price(1.25, 10, 0.125),
  "gpt-5-mini*": price(0.25, 2, 0.025),
  "gpt-4o": price(2.5, 10, 1.25),
  "claude-opus-4*": price(15, 75, 1.5),
  "claude-opus-4-5*": price(5, 25, 0.5),
  "claude-sonnet-4*": price(3, 15, 0.3),
  "claude-haiku-4-5*": price(1, 5, 0.1),
  "gemini-2.5-pro*": price(1.25, 10, 0.125),
  "gemini-2.5-flash*": price(0.3, 2.5, 0.03),
};
