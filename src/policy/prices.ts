/** Price of a million tokens, in any currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For the input tokens that the provider had in its cache; as `input` without it. */
  readonly cachedInput?: number;
  /** For the input tokens that the provider wrote to its cache; as `input` without it. */
  readonly cacheWrite?: number;
}

/** Prices by model: its name, or a prefix followed by `*`. */
export type Prices = Readonly<Record<string, Price>>;

export interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens; none without it. */
  readonly cachedInputTokens?: number;
  /** Of the input tokens; none without it. */
  readonly cacheWriteTokens?: number;
}

/** The model's own price, else that of the longest beginning; undefined for a model that the table leaves out. */
export function priceFor(prices: Prices, model: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const fitting = Object.keys(prices).filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

/** Cost in whole millionths of the currency: the price of a million tokens is that of one token in millionths. */
export function costOf({ input, output, cachedInput = input, cacheWrite = input }: Price, used: Consumption): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const written = Math.min(used.cacheWriteTokens ?? 0, used.inputTokens - cached);
  const plain = used.inputTokens - cached - written;
  return Math.round(plain * input + cached * cachedInput + written * cacheWrite + used.outputTokens * output);
}
