import type { JsonSchema } from "../../../shapes/shapes.ts";
import { amount, list, object, oneOf, orNull, text, time, whole } from "../json-schema.ts";

const number = (description: string): JsonSchema => ({ type: "number", description });

const interval = (what: string) =>
  object({
    value: number(`${what}; below zero if the guard cost more than it saved.`),
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
          "`hold-out`: measured against held-out sessions; it takes 30 of them and 30 enforced ones.",
        ),
        method: text("What the numbers are, in a sentence."),
        sessions: object(
          {
            enforced: whole("On the enforced side of a rollout."),
            heldOut: whole("On the held-out side of a rollout."),
            others: whole("Without a rollout."),
          },
          { description: "Sessions started in the window." },
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
        avoidedTokens: whole(
          "Estimated input tokens of the requests that the guard answered itself; the basis of an estimate.",
        ),
        saved: object({
          tokens: interval("Tokens"),
          cost: orNull(interval("In the currency of the price table; null without a price")),
        }),
        price: orNull(
          object(
            {
              model: text("The requested entry of the policy's price table."),
              input: amount("A million input tokens."),
              output: amount("A million output tokens."),
              cachedInput: amount("A million input tokens read from the provider's cache."),
              cacheWrite: amount("A million input tokens written to the provider's cache."),
            },
            {
              optional: ["cachedInput", "cacheWrite"],
              description: "The price that all tokens are counted at; null if the policy has none.",
            },
          ),
        ),
      }),
      "By policy.",
    ),
  }),
};
