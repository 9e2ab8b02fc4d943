import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { anyText, optional } from "../../shapes/shapes.ts";
import { type ApiCall, get } from "./operation.ts";
import type { SessionView } from "./session-view.ts";
import { FILTERS, scanSessions, sinceAsked } from "./sessions.ts";
import { show } from "./view.ts";

type Comparison = NonNullable<ReturnType<typeof compareSides>>;

const comparison = show.view<Comparison>()(
  {
    enforced: show.amount("Mean of the enforced sessions."),
    heldOut: show.amount("Mean of those that are held out."),
    saved: show.number("What an enforced session saves; below zero if the guard cost more than it saved."),
    low: show.number("Lower end of its 95 % interval; below zero, it may be chance."),
    high: show.number("Upper end of its 95 % interval."),
  },
  "By session; null with fewer than 30 sessions on a side. Times `enforced` it is what all of them save.",
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
  tokens: show.orNull(show.part(comparison)),
  // In the currency of the price table.
  cost: show.orNull(show.part(comparison)),
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

/** Means of both sides, and their difference with its interval. @returns undefined where a side has too few sessions for that */
export function compareSides(enforced: readonly number[], heldOut: readonly number[]) {
  if (Math.min(enforced.length, heldOut.length) < LEAST_SESSIONS) return undefined;
  const [a, b] = [meanOf(enforced), meanOf(heldOut)];
  const reach = Z * Math.sqrt(a.variance + b.variance);
  const saved = b.mean - a.mean;
  return { enforced: a.mean, heldOut: b.mean, saved, low: saved - reach, high: saved + reach };
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
  const judged = [control.policyNamed(policy), control.configuration().policy].find((one) => one?.name === policy);
  const one = priceFor(judged?.prices ?? {}, model);
  const compared = (amountOf: (session: SessionView) => number) =>
    compareSides(enforced.map(amountOf), heldOut.map(amountOf));
  return {
    ...{ policy, enforced: enforced.length, heldOut: heldOut.length, price: one && { model, ...one } },
    tokens: compared(({ tokens: { input, output } }) => input + output),
    cost:
      one &&
      compared(
        ({ tokens: { input: inputTokens, output: outputTokens, cached: cachedInputTokens } }) =>
          costOf(one, { inputTokens, outputTokens, cachedInputTokens }) / 1e6,
      ),
  };
}
