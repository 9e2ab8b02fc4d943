import type { JsonSchema } from "../../../shapes/shapes.ts";
import { arm, detector, grade } from "./common.ts";
import { listSchema, recordSchema, oneOfSchema, textSchema, time, wholeSchema } from "../json-schema.ts";

const tally = {
  nudge: wholeSchema("Nudges."),
  "force-done": wholeSchema("Force-dones."),
  "short-circuit": wholeSchema("Short-circuits: answers from the guard itself."),
  cut: wholeSchema("Answers cut off."),
  recovered: wholeSchema("Loops that did not occur in the run's next five steps."),
  repeated: wholeSchema("Interventions on a loop that already had one."),
  warnings: wholeSchema("Steps after which one more would have reached force-done or short-circuit."),
  nearMisses: wholeSchema("Warnings after which the next step did not continue the loop."),
};

const analytics = recordSchema({
  window: oneOfSchema(["1h", "6h", "24h", "7d"], "What was asked for."),
  from: time("Beginning of the first period."),
  to: time("Now."),
  policies: listSchema(
    recordSchema({
      policy: textSchema("The policy."),
      arm,
      exchanges: wholeSchema("Guarded exchanges."),
      sessions: wholeSchema("Sessions started."),
      tokens: wholeSchema("Tokens in and out."),
      loopTokens: wholeSchema("Tokens spent inside loops."),
      ...tally,
    }),
    "By policy; a rollout has a row for either side.",
  ),
  ladders: listSchema(
    recordSchema({ policy: textSchema("The policy."), arm, detector, grade, ...tally }),
    "By policy, detector and grade.",
  ),
  tools: listSchema(
    recordSchema({
      tool: textSchema("The tool."),
      detector,
      count: wholeSchema("Interventions."),
      warnings: wholeSchema("Warnings."),
      nearMisses: wholeSchema("Near misses."),
    }),
    "By tool and detector; rare tools are combined as `*`.",
  ),
  series: listSchema(
    recordSchema({
      at: time("Beginning of the period."),
      exchanges: wholeSchema("Guarded exchanges."),
      interventions: wholeSchema("Interventions."),
    }),
    "By hour; by day for `7d`.",
  ),
});

/** Schemas of the sums over periods. */
export const analyticsSchemas: Readonly<Record<string, JsonSchema>> = {
  Analytics: analytics,
};
