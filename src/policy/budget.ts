import { laddersOfLimit, memoizeByRef } from "../engine/engine.ts";
import { type BudgetLimits, type Ladder, MILLIONTHS, type Policy, type Price } from "./schema.ts";

export type BudgetKind = Exclude<keyof BudgetLimits, "whenUnknown">;

export const budgetKinds: readonly BudgetKind[] = ["steps", "tokens", "cost", "seconds"];

/** Shares of a limit at which a nudge and a short-circuit follow; a force-done comes at the limit itself. */
const WARNED = 0.75;
const ENDED = 1.25;

/** Ladder for a limit: the policy's own, or one derived from the limit. */
export function budgetLadder(policy: Limiting, kind: BudgetKind): Ladder | undefined {
  const { own, main } = laddersOfLimit(kind);
  return policy.ladders?.[own] ?? ladderOf(policy, kind) ?? (main === undefined ? undefined : policy.ladders?.[main]);
}

/** Count at which a run has to end, in the detector's unit. Undefined: there is no limit. */
export function budgetLimitOf(policy: Limiting, kind: BudgetKind): number | undefined {
  const ladder = budgetLadder(policy, kind);
  return ladder?.["force-done"] ?? ladder?.["short-circuit"] ?? ladder?.nudge;
}

export const limitedKinds = memoizeByRef(
  (policy: Limiting): ReadonlySet<BudgetKind> =>
    new Set(budgetKinds.filter((kind) => budgetLimitOf(policy, kind) !== undefined)),
);

export function limitsBudget(policy: Limiting): boolean {
  return limitedKinds(policy).size > 0;
}

export type Limiting = Partial<Pick<Policy, "budget" | "ladders">>;

function ladderOf({ budget }: Limiting, kind: BudgetKind): Ladder | undefined {
  const amount = budget?.[kind];
  if (amount === undefined) return undefined;
  const limit = kind === "cost" ? Math.round(amount * MILLIONTHS) : amount;
  return {
    nudge: Math.ceil(limit * WARNED),
    "force-done": limit,
    "short-circuit": Math.max(limit + 1, Math.ceil(limit * ENDED)),
  };
}

interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens; none without it. */
  readonly cachedInputTokens?: number;
  /** Of the input tokens; none without it. */
  readonly cacheWriteTokens?: number;
}

/** The model's own price, else that of the longest beginning; undefined for a model that the table leaves out. */
export function priceFor(prices: Readonly<Record<string, Price>>, model: string): Price | undefined {
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
