import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { mode } from "./common.ts";
import { amount, list, object, oneOf, orNull, text, yesNo } from "../json-schema.ts";

const explanation = object({
  policy: text("The policy that the request would get."),
  mode,
  rule: orNull(text("The matching rule; null for the operator's defaults.")),
  rollout: orNull(
    object({
      percent: amount("Percentage of sessions that are enforced."),
      arm: orNull(oneOf(["enforced", "held-out"], "Side of this session; null if none was named.")),
    }),
  ),
  upstream: text("The path the request would have."),
  considered: list(
    object({
      rule: text("The rule."),
      matched: yesNo("Whether it matched."),
      because: text("The condition that decided."),
    }),
    "The rules in order, up to the first that matched.",
  ),
});

/** Of policies, and of what a request would get. */
export const policySchemas: Readonly<Record<string, JsonSchema>> = {
  PolicyList: object({
    policies: list(
      object({ name: text("Its name."), source: oneOf(["preset", "file"], "Where it comes from.") }),
      "Presets, and policies of the configuration file.",
    ),
  }),
  Policy: { type: "object", description: "The whole policy, as docs/configuration.md describes it." },
  ExplainRequest: bodies.ExplainRequest.schema,
  Explanation: explanation,
};
