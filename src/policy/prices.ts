/** In any currency, for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For the input tokens that the provider had in its cache; as `input` without it. */
  readonly cachedInput?: number;
}

/** By model: its name, or a beginning of it and `*`. */
export type Prices = Readonly<Record<string, Price>>;

export interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens; none without it. */
  readonly cachedInputTokens?: number;
}

/** The model's own price, else that of the longest beginning; undefined for a model that the table leaves out. */
export function priceFor(prices: Prices, model: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const fitting = Object.keys(prices).filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

/** In whole millionths of the currency: a price for a million tokens is that of one token in millionths. */
export function costOf({ input, output, cachedInput = input }: Price, used: Consumption): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  return Math.round((used.inputTokens - cached) * input + cached * cachedInput + used.outputTokens * output);
}
