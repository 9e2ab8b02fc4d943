import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { mode } from "./common.ts";
import { amountSchema, listSchema, recordSchema, oneOfSchema, orNull, textSchema, yesNo } from "../json-schema.ts";

const explanation = recordSchema({
  policy: textSchema("The policy that the request would get."),
  mode,
  rule: orNull(textSchema("The matching rule; null for the operator's defaults.")),
  rollout: orNull(
    recordSchema({
      percent: amountSchema("Percentage of sessions that are enforced."),
      arm: orNull(oneOfSchema(["enforced", "held-out"], "Side of this session; null if none was named.")),
    }),
  ),
  upstream: textSchema("The path the request would have."),
  considered: listSchema(
    recordSchema({
      rule: textSchema("The rule."),
      matched: yesNo("Whether it matched."),
      because: textSchema("The condition that decided."),
    }),
    "The rules in order, up to the first that matched.",
  ),
});

/** Schemas of policies, and of the policy that a request would get. */
export const policySchemas: Readonly<Record<string, JsonSchema>> = {
  Policy: { type: "object", description: "The whole policy, as docs/configuration.md describes it." },
  ExplainRequest: bodies.ExplainRequest.schema,
  Explanation: explanation,
};
