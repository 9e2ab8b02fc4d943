import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { type ApiCall, isoTime } from "./context.ts";
import type { SessionView } from "./session-view.ts";
import { scanSessions, sinceAsked } from "./sessions.ts";
import { asAmount, asList, asText, maybe, number, orNull, part, partOrNull, time, view, whole, yesNo } from "./view.ts";

/** Means of both sides of a rollout, and their difference with its 95 % interval. */
interface Comparison {
  readonly enforced: number;
  readonly heldOut: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** A policy that is rolled out by percentage, with the sessions of both sides. */
interface Rollout {
  readonly policy: string;
  readonly enforced: readonly SessionView[];
  readonly heldOut: readonly SessionView[];
  readonly price: (Price & { readonly model: string }) | undefined;
  readonly tokens: Comparison | undefined;
  readonly cost: Comparison | undefined;
}

const rounded = (name: keyof Comparison) => (comparison: Comparison) => Math.round(comparison[name]);
const perSession = view<Comparison>()(
  {
    enforced: whole("Tokens of an enforced session.", rounded("enforced")),
    heldOut: whole("Tokens of a session that was held out.", rounded("heldOut")),
    difference: number("What a session saves.", rounded("difference")),
    low: number("Lower end of its 95 % interval; below zero, the difference may be chance.", rounded("low")),
    high: number("Upper end of its 95 % interval.", rounded("high")),
  },
  "Means, in tokens; null with fewer than 30 sessions on a side.",
);

const interval = (what: string) =>
  view<Pick<Comparison, "difference" | "low" | "high">>()({
    value: number(`${what}; below zero if the guard cost more than it saved.`, ({ difference }) => difference),
    low: number("Lower end of the 95 % interval."),
    high: number("Upper end of the 95 % interval."),
  });

function times({ difference, low, high }: Comparison, sessions: number, toAmount: (amount: number) => number = Number) {
  const [value = 0, least = 0, most = 0] = [difference, low, high].map((one) => toAmount(one * sessions));
  return { difference: value, low: least, high: most };
}

const saved = view<Rollout & { readonly tokens: Comparison }>()(
  {
    tokens: part(interval("Tokens"), ({ tokens, enforced }) => times(tokens, enforced.length, Math.round)),
    cost: partOrNull(
      interval("In the currency of the price table; null without a price"),
      ({ cost, enforced }) => cost && times(cost, enforced.length),
    ),
  },
  "What a session saves, times the enforced sessions; null with fewer than 30 sessions on a side.",
);

const sides = view<Rollout>()(
  {
    enforced: whole("On the enforced side.", ({ enforced }) => enforced.length),
    heldOut: whole("On the held-out side.", ({ heldOut }) => heldOut.length),
  },
  "Sessions in use in the window.",
);

const onePrice = view<Price & { readonly model: string }>()(
  {
    model: asText("The entry of the policy's price table."),
    input: asAmount("A million input tokens."),
    output: asAmount("A million output tokens."),
    cachedInput: maybe(asAmount("A million input tokens read from the provider's cache.")),
    cacheWrite: maybe(asAmount("A million input tokens written to the provider's cache.")),
  },
  "The price that all tokens are counted at; null if the policy has none.",
);

const ofPolicy = view<Rollout>()({
  policy: asText("The policy."),
  sessions: part(sides, (rollout) => rollout),
  perSession: partOrNull(perSession, ({ tokens }) => tokens),
  saved: partOrNull(saved, ({ tokens, ...rollout }) => tokens && { ...rollout, tokens }),
  price: partOrNull(onePrice, ({ price }) => price),
});

export const savingsView = view()({
  from: orNull(time("Beginning of the window; null without one.")),
  to: time("Now."),
  isWhole: yesNo("Whether all sessions were looked through: at most the newest 5,000 are."),
  policies: asList(ofPolicy, "By policy that is rolled out by percentage."),
});

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
  const names = new Set(views.flatMap(({ arm, policy }) => (arm === null ? [] : [policy])));
  return {
    from: since === undefined ? null : isoTime(since),
    to: isoTime(call.now()),
    isWhole: next === null,
    policies: [...names].map((name) => ofPolicy.of(rolloutOf(call, name, views))),
  };
}

function rolloutOf({ control, query }: ApiCall, policy: string, views: readonly SessionView[]): Rollout {
  const [enforced = [], heldOut = []] = ["enforced", "held-out"].map((side) =>
    views.filter((one) => one.policy === policy && one.arm === side),
  );
  // One price for both sides, whatever models they asked: else a change of models would pass for a saving.
  const model = query("model") ?? "*";
  const { prices = {}, name } = control.policyNamed(policy) ?? control.terms().policy;
  const price = name === policy ? priceFor(prices, model) : undefined;
  const compared = (amountOf: (session: SessionView) => number) =>
    compareSides(enforced.map(amountOf), heldOut.map(amountOf));
  const costIn = (one: Price) =>
    compared(
      ({ tokens: { input: inputTokens, output: outputTokens, cached: cachedInputTokens } }) =>
        costOf(one, { inputTokens, outputTokens, cachedInputTokens }) / 1e6,
    );
  const tokens = compared((session) => session.tokens.input + session.tokens.output);
  return { policy, enforced, heldOut, price: price && { model, ...price }, tokens, cost: price && costIn(price) };
}
