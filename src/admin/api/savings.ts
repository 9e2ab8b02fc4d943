import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { type ApiCall, isoTime } from "./context.ts";
import type { SessionView } from "./session-view.ts";
import { scanSessions, sinceAsked } from "./sessions.ts";

/** Means of both sides of a rollout, and their difference with its 95 % interval. */
interface Comparison {
  readonly enforced: number;
  readonly heldOut: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** Sessions that each side needs: fewer say nothing. */
const LEAST_SESSIONS = 30;

/** Of the normal distribution, at 97.5 %. */
const Z = 1.96;

/** Compares amounts by session. @returns undefined where a side has too few sessions for that */
export function compareSides(enforced: readonly number[], heldOut: readonly number[]): Comparison | undefined {
  if (Math.min(enforced.length, heldOut.length) < LEAST_SESSIONS) return undefined;
  const [a, b] = [meanOf(enforced), meanOf(heldOut)];
  const reach = Z * Math.sqrt(a.variance + b.variance);
  const difference = b.mean - a.mean;
  return { enforced: a.mean, heldOut: b.mean, difference, low: difference - reach, high: difference + reach };
}

/** A mean, and the variance of that mean. */
function meanOf(amounts: readonly number[]) {
  const { length } = amounts;
  const mean = amounts.reduce((sum, one) => sum + one, 0) / length;
  const spread = amounts.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { mean, variance: spread / (length - 1) / length };
}

/** What the guard saves, by policy: sessions that a rollout holds out beside those that it enforces. */
export async function savings(call: ApiCall) {
  const { views, next } = await scanSessions(call, Number.POSITIVE_INFINITY);
  const since = sinceAsked(call);
  const policies = new Set(views.flatMap(({ arm, policy }) => (arm === null ? [] : [policy])));
  return {
    from: since === undefined ? null : isoTime(since),
    to: isoTime(call.now()),
    isWhole: next === null,
    policies: [...policies].map((name) => {
      const side = (wanted: string) => views.filter(({ policy, arm }) => policy === name && arm === wanted);
      return savedUnder(name, side("enforced"), side("held-out"), priceIn(call, name));
    }),
  };
}

/** One price for both sides, whatever models they asked: else a change of models would pass for a saving. */
function priceIn({ control, query }: ApiCall, name: string): (Price & { readonly model: string }) | undefined {
  const model = query("model") ?? "*";
  const policy = control.policyNamed(name) ?? control.terms().policy;
  const price = policy.name === name ? priceFor(policy.prices ?? {}, model) : undefined;
  return price && { model, ...price };
}

function savedUnder(
  policy: string,
  enforced: readonly SessionView[],
  heldOut: readonly SessionView[],
  price: Price | undefined,
) {
  const compared = (amount: (view: SessionView) => number) => compareSides(enforced.map(amount), heldOut.map(amount));
  const tokens = compared((view) => view.tokens.input + view.tokens.output);
  const cost = price && compared((view) => costIn(view, price));
  const times = ({ difference, low, high }: Comparison, toAmount: (one: number) => number) => ({
    value: toAmount(difference * enforced.length),
    low: toAmount(low * enforced.length),
    high: toAmount(high * enforced.length),
  });
  return {
    policy,
    sessions: { enforced: enforced.length, heldOut: heldOut.length },
    perSession: tokens === undefined ? null : rounded(tokens),
    saved: tokens === undefined ? null : { tokens: times(tokens, Math.round), cost: cost ? times(cost, Number) : null },
    price: price ?? null,
  };
}

function costIn({ tokens: { input, output, cached } }: SessionView, price: Price): number {
  return costOf(price, { inputTokens: input, outputTokens: output, cachedInputTokens: cached }) / 1e6;
}

function rounded({ enforced, heldOut, difference, low, high }: Comparison): Comparison {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = [enforced, heldOut, difference, low, high].map(Math.round);
  return { enforced: a, heldOut: b, difference: c, low: d, high: e };
}
