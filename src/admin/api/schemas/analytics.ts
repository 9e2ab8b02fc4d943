import type { JsonSchema } from "../../../json-schema.ts";
import { arm, detector, grade } from "./common.ts";
import { list, object, oneOf, text, time, whole } from "../json-schema.ts";

const tally = {
  nudge: whole("Nudges."),
  "force-done": whole("Forced ends."),
  "short-circuit": whole("Answers of the guard's own."),
  cut: whole("Answers cut off."),
  recovered: whole("Loops after which the run went on for five steps without them."),
  repeated: whole("Interventions on a loop that had had one."),
  warnings: whole("Steps after which one more would have forced a run to its end, or ended it."),
  nearMisses: whole("Warnings after which the next step did not go on with the loop."),
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
      sessions: whole("Sessions that began."),
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
    "By tool and detector; rare tools are summed up as `*`.",
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
