import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { type ApiCall, isoTime } from "./context.ts";
import type { SessionView } from "./session-view.ts";
import { scanSessions, sinceAsked } from "./sessions.ts";
import { asAmount, asList, number, maybe, orNull, asIs, asText, time, view, whole, yesNo } from "./view.ts";

const interval = (what: string) =>
  view()({
    value: number(`${what}; below zero if the guard cost more than it saved.`),
    low: number("Lower end of the 95 % interval."),
    high: number("Upper end of the 95 % interval."),
  });

const perSession = view()(
  {
    enforced: whole("Tokens of an enforced session."),
    heldOut: whole("Tokens of a session that was held out."),
    difference: number("What a session saves."),
    low: number("Lower end of its 95 % interval; below zero, the difference may be chance."),
    high: number("Upper end of its 95 % interval."),
  },
  "Means, in tokens; null with fewer than 30 sessions on a side.",
);

const saved = view()(
  {
    tokens: asIs(interval("Tokens")),
    cost: orNull(asIs(interval("In the currency of the price table; null without a price"))),
  },
  "What a session saves, times the enforced sessions; null with fewer than 30 sessions on a side.",
);

const sides = view()(
  { enforced: whole("On the enforced side."), heldOut: whole("On the held-out side.") },
  "Sessions in use in the window.",
);

const onePrice = view()(
  {
    model: asText("The entry of the policy's price table."),
    input: asAmount("A million input tokens."),
    output: asAmount("A million output tokens."),
    cachedInput: maybe(asAmount("A million input tokens read from the provider's cache.")),
    cacheWrite: maybe(asAmount("A million input tokens written to the provider's cache.")),
  },
  "The price that all tokens are counted at; null if the policy has none.",
);

const ofPolicy = view()({
  policy: asText("The policy."),
  sessions: asIs(sides),
  perSession: orNull(asIs(perSession)),
  saved: orNull(asIs(saved)),
  price: orNull(asIs(onePrice)),
});

export const savingsView = view()({
  from: orNull(time("Beginning of the window; null without one.")),
  to: time("Now."),
  isWhole: yesNo("Whether all sessions were looked through: at most the newest 5,000 are."),
  policies: asList(ofPolicy, "By policy that is rolled out by percentage."),
});

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
  const { views, next } = await scanSessions(call);
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
