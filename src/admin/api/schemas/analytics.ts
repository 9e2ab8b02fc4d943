import type { JsonSchema } from "../../../shapes/shapes.ts";
import { arm, detector, grade } from "./common.ts";
import { list, object, oneOf, text, time, whole } from "../json-schema.ts";

const tally = {
  nudge: whole("Nudges."),
  "force-done": whole("Force-dones."),
  "short-circuit": whole("Short-circuits: answers from the guard itself."),
  cut: whole("Answers cut off."),
  recovered: whole("Loops that did not occur in the run's next five steps."),
  repeated: whole("Interventions on a loop that already had one."),
  warnings: whole("Steps after which one more would have reached force-done or short-circuit."),
  nearMisses: whole("Warnings after which the next step did not continue the loop."),
};

const analytics = object({
  window: oneOf(["1h", "6h", "24h", "7d"], "What was asked for."),
  from: time("Beginning of the first period."),
  to: time("Now."),
  policies: list(
    object({
      policy: text("The policy."),
      arm,
      exchanges: whole("Guarded exchanges."),
      sessions: whole("Sessions started."),
      tokens: whole("Tokens in and out."),
      loopTokens: whole("Tokens spent inside loops."),
      ...tally,
    }),
    "By policy; a rollout has a row for either side.",
  ),
  ladders: list(
    object({ policy: text("The policy."), arm, detector, grade, ...tally }),
    "By policy, detector and grade.",
  ),
  tools: list(
    object({
      tool: text("The tool."),
      detector,
      count: whole("Interventions."),
      warnings: whole("Warnings."),
      nearMisses: whole("Near misses."),
    }),
    "By tool and detector; rare tools are combined as `*`.",
  ),
  series: list(
    object({
      at: time("Beginning of the period."),
      exchanges: whole("Guarded exchanges."),
      interventions: whole("Interventions."),
    }),
    "By hour; by day for `7d`.",
  ),
});

/** Of sums. */
export const analyticsSchemas: Readonly<Record<string, JsonSchema>> = {
  Analytics: analytics,
};
