import type { JsonSchema } from "../../../shapes/shapes.ts";
import {
  amountSchema,
  listSchema,
  recordSchema,
  orNull,
  textSchema,
  time,
  wholeSchema,
  yesNo,
} from "../json-schema.ts";

const number = (description: string): JsonSchema => ({ type: "number", description });

const interval = (what: string) =>
  recordSchema({
    value: number(`${what}; below zero if the guard cost more than it saved.`),
    low: number("Lower end of the 95 % interval."),
    high: number("Upper end of the 95 % interval."),
  });

/** Schemas of savings. */
export const savingsSchemas: Readonly<Record<string, JsonSchema>> = {
  Savings: recordSchema({
    from: orNull(time("Beginning of the window; null without one.")),
    to: time("Now."),
    isWhole: yesNo("Whether all sessions were looked through: at most the newest 5,000 are."),
    policies: listSchema(
      recordSchema({
        policy: textSchema("The policy."),
        sessions: recordSchema(
          { enforced: wholeSchema("On the enforced side."), heldOut: wholeSchema("On the held-out side.") },
          "Sessions in use in the window.",
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
            "Means, in tokens; null with fewer than 30 sessions on a side.",
          ),
        ),
        saved: orNull(
          recordSchema(
            {
              tokens: interval("Tokens"),
              cost: orNull(interval("In the currency of the price table; null without a price")),
            },
            "What a session saves, times the enforced sessions; null with fewer than 30 sessions on a side.",
          ),
        ),
        price: orNull(
          recordSchema(
            {
              model: textSchema("The entry of the policy's price table."),
              input: amountSchema("A million input tokens."),
              output: amountSchema("A million output tokens."),
              "cachedInput?": amountSchema("A million input tokens read from the provider's cache."),
              "cacheWrite?": amountSchema("A million input tokens written to the provider's cache."),
            },
            "The price that all tokens are counted at; null if the policy has none.",
          ),
        ),
      }),
      "By policy that is rolled out by percentage.",
    ),
  }),
};
