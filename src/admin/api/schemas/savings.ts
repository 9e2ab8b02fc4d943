import type { JsonSchema } from "../../../shapes/shapes.ts";
import {
  amountSchema,
  listSchema,
  recordSchema,
  oneOfSchema,
  orNull,
  textSchema,
  time,
  wholeSchema,
} from "../json-schema.ts";

const number = (description: string): JsonSchema => ({ type: "number", description });

const interval = (what: string) =>
  recordSchema({
    value: number(`${what}; below zero if the guard cost more than it saved.`),
    low: orNull(number("Lower end of the 95 % interval; null for an estimate.")),
    high: orNull(number("Upper end of the 95 % interval; null for an estimate.")),
  });

/** Schemas of savings. */
export const savingsSchemas: Readonly<Record<string, JsonSchema>> = {
  Savings: recordSchema({
    window: oneOfSchema(["1h", "6h", "24h", "7d"], "What was asked for."),
    from: time("Beginning of the first period."),
    to: time("Now."),
    policies: listSchema(
      recordSchema({
        policy: textSchema("The policy."),
        basis: oneOfSchema(
          ["hold-out", "estimate"],
          "`hold-out`: measured against held-out sessions; it takes 30 of them and 30 enforced ones.",
        ),
        method: textSchema("What the numbers are, in a sentence."),
        sessions: recordSchema(
          {
            enforced: wholeSchema("On the enforced side of a rollout."),
            heldOut: wholeSchema("On the held-out side of a rollout."),
            others: wholeSchema("Without a rollout."),
          },
          "Sessions started in the window.",
        ),
        perSession: orNull(
          recordSchema(
            {
              enforced: wholeSchema("Tokens of an enforced session."),
              heldOut: wholeSchema("Tokens of a session that was held out."),
              difference: number("What a session saves."),
              low: number("Lower end of its 95 % interval; below zero, the difference may be chance."),
              high: number("Upper end of its 95 % interval."),
            },
            "Means, in tokens; null for an estimate.",
          ),
        ),
        avoidedTokens: wholeSchema(
          "Estimated input tokens of the requests that the guard answered itself; the basis of an estimate.",
        ),
        saved: recordSchema({
          tokens: interval("Tokens"),
          cost: orNull(interval("In the currency of the price table; null without a price")),
        }),
        price: orNull(
          recordSchema(
            {
              model: textSchema("The requested entry of the policy's price table."),
              input: amountSchema("A million input tokens."),
              output: amountSchema("A million output tokens."),
              "cachedInput?": amountSchema("A million input tokens read from the provider's cache."),
              "cacheWrite?": amountSchema("A million input tokens written to the provider's cache."),
            },
            "The price that all tokens are counted at; null if the policy has none.",
          ),
        ),
      }),
      "By policy.",
    ),
  }),
};
