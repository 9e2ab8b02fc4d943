import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { anyText, optional } from "../../shapes/shapes.ts";
import { type ApiCall, get } from "./operation.ts";
import type { SessionView } from "./session-view.ts";
import { FILTERS, scanSessions, sinceAsked } from "./sessions.ts";
import { show } from "./view.ts";

/** Means of both sides of a rollout, and their difference with its 95 % interval. */
type Comparison = NonNullable<ReturnType<typeof compareSides>>;

const mean = (name: keyof Comparison) => (comparison: Comparison) => Math.round(comparison[name]);
const perSession = show.view<Comparison>()(
  {
    enforced: show.whole("Tokens of an enforced session.", mean("enforced")),
    heldOut: show.whole("Tokens of a session that was held out.", mean("heldOut")),
    difference: show.number("What a session saves.", mean("difference")),
    low: show.number("Lower end of its 95 % interval; below zero, the difference may be chance.", mean("low")),
    high: show.number("Upper end of its 95 % interval.", mean("high")),
  },
  "Means, in tokens; null with fewer than 30 sessions on a side.",
);

const saved = (about: string) =>
  show.view<Comparison>()(
    {
      value: show.number("Below zero if the guard cost more than it saved.", ({ difference }) => difference),
      low: show.number("Lower end of the 95 % interval."),
      high: show.number("Upper end of the 95 % interval."),
    },
    about,
  );

const price = show.view<Price & { readonly model: string }>()(
  {
    model: show.text("The entry of the policy's price table."),
    input: show.amount("A million input tokens."),
    output: show.amount("A million output tokens."),
    cachedInput: show.maybe(show.amount("A million input tokens read from the provider's cache.")),
    cacheWrite: show.maybe(show.amount("A million input tokens written to the provider's cache.")),
  },
  "The price that all tokens are counted at; null if the policy has none.",
);

const rollout = show.view()({
  policy: show.text("The policy."),
  enforced: show.whole("Enforced sessions in use in the window."),
  heldOut: show.whole("Sessions in use in the window that were held out."),
  perSession: show.orNull(show.part(perSession)),
  tokens: show.orNull(show.part(saved("Tokens that a session saves, times the enforced sessions."))),
  cost: show.orNull(show.part(saved("Their cost, in the currency of the price table."))),
  price: show.orNull(show.part(price)),
});

const answer = show.view()({
  from: show.orNull(show.time("Beginning of the window; null without one.")),
  to: show.time("Now."),
  isWhole: show.yesNo("Whether all sessions were looked through: at most the newest 5,000 are."),
  policies: show.each(rollout, "By policy that is rolled out by percentage."),
});

/** Sessions that each side needs: fewer say nothing. */
const LEAST_SESSIONS = 30;
/** Of the normal distribution, at 97.5 %. */
const Z = 1.96;

/** Compares amounts by session. @returns undefined where a side has too few sessions for that */
export function compareSides(enforced: readonly number[], heldOut: readonly number[]) {
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

export const savings = get(
  "/savings",
  "What the guard has saved, by policy: enforced sessions of a rollout beside those that it holds out. A token that is limited to a tenant gets its own.",
  answer,
  async (call) => {
    const { views, next } = await scanSessions(call);
    const names = new Set(views.flatMap(({ arm, policy }) => (arm === null ? [] : [policy])));
    const policies = [...names].map((name) => rolloutOf(call, name, views));
    return { from: sinceAsked(call), to: call.now(), isWhole: next === null, policies };
  },
  {
    ...{ tenant: FILTERS.tenant, agent: FILTERS.agent, policy: FILTERS.policy, window: FILTERS.window },
    model: optional(
      anyText,
      "Only sessions with this model, at its price in the policy's table; without it, at the price of `*`.",
    ),
  },
);

function rolloutOf({ control, query }: ApiCall, policy: string, views: readonly SessionView[]) {
  const [enforced = [], heldOut = []] = ["enforced", "held-out"].map((side) =>
    views.filter((one) => one.policy === policy && one.arm === side),
  );
  // One price for both sides, whatever models they asked: else a change of models would pass for a saving.
  const model = query("model") ?? "*";
  const judged = [control.policyNamed(policy), control.terms().policy].find((one) => one?.name === policy);
  const one = priceFor(judged?.prices ?? {}, model);
  const compared = (amountOf: (tokens: SessionView["tokens"]) => number) =>
    compareSides(
      enforced.map(({ tokens }) => amountOf(tokens)),
      heldOut.map(({ tokens }) => amountOf(tokens)),
    );
  const times = (comparison: Comparison | undefined, factor: number, round = (amount: number) => amount) =>
    comparison && {
      difference: round(comparison.difference * factor),
      low: round(comparison.low * factor),
      high: round(comparison.high * factor),
    };
  const inTokens = compared(({ input, output }) => input + output);
  const inMoney =
    one &&
    compared(({ input, output, cached }) =>
      costOf(one, { inputTokens: input, outputTokens: output, cachedInputTokens: cached }),
    );
  return {
    ...{
      policy,
      enforced: enforced.length,
      heldOut: heldOut.length,
      perSession: inTokens,
      price: one && { model, ...one },
    },
    tokens: times(inTokens, enforced.length, Math.round),
    cost: times(inMoney, enforced.length / 1e6),
  };
}
