import type { JsonSchema } from "../../../json-schema.ts";
import { amount, list, object, oneOf, orNull, text, time, whole } from "../json-schema.ts";

const number = (description: string): JsonSchema => ({ type: "number", description });

const interval = (what: string) =>
  object({
    value: number(`${what}; below zero where the guard has cost more than it saved.`),
    low: orNull(number("Lower end of the 95 % interval; null for an estimate.")),
    high: orNull(number("Upper end of the 95 % interval; null for an estimate.")),
  });

/** Of what the guard has saved. */
export const savingsSchemas: Readonly<Record<string, JsonSchema>> = {
  Savings: object({
    window: oneOf(["1h", "6h", "24h", "7d"], "What was asked for."),
    from: time("Beginning of the first period."),
    to: time("Now."),
    policies: list(
      object({
        policy: text("The policy."),
        basis: oneOf(
          ["hold-out", "estimate"],
          "`hold-out`: measured against sessions that were held out; it takes 30 of them, and 30 enforced ones.",
        ),
        method: text("What the numbers are, in a sentence."),
        sessions: object(
          {
            enforced: whole("On the enforced side of a rollout."),
            heldOut: whole("Held out."),
            others: whole("Without a rollout."),
          },
          { description: "Sessions that began in the window." },
        ),
        perSession: orNull(
          object(
            {
              enforced: whole("Tokens of an enforced session."),
              heldOut: whole("Tokens of a session that was held out."),
              difference: number("What a session saves."),
              low: number("Lower end of its 95 % interval; below zero, the difference may be chance."),
              high: number("Upper end of its 95 % interval."),
            },
            { description: "Means, in tokens; null for an estimate." },
          ),
        ),
        avoidedTokens: whole("Estimated input tokens of requests that were answered here, on which an estimate rests."),
        saved: object({
          tokens: interval("Tokens"),
          cost: orNull(interval("In the currency of the price table; null without a price")),
        }),
        price: orNull(
          object(
            {
              model: text("The entry of the policy's price table that was asked for."),
              input: amount("A million tokens in."),
              output: amount("A million tokens out."),
              cachedInput: amount("A million tokens in that the provider had in its cache."),
              cacheWrite: amount("A million tokens that it wrote there."),
            },
            {
              optional: ["cachedInput", "cacheWrite"],
              description: "The one price that all tokens are counted at; null where the policy has none.",
            },
          ),
        ),
      }),
      "By policy.",
    ),
  }),
};
