import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { detector, rung } from "./common.ts";
import { list, object, orNull, text, whole } from "../json-schema.ts";

const verdict = orNull(
  object({
    step: whole("Index of the step."),
    detector,
    rung,
    count: whole("How often."),
    note: text("What was seen."),
  }),
);

const dryRun = object({
  policy: text("The policy that was tried."),
  against: text("The policy it was compared with."),
  total: whole("Conversations or threads that were judged."),
  changed: whole("Conversations or threads with a different result."),
  results: list(
    object({
      id: text("Index or id of the conversation, or the id of the session."),
      thread: orNull(text("The thread; null for a posted conversation.")),
      steps: whole("Steps that were judged."),
      skipped: whole("Older steps, which were only counted."),
      before: object(
        { findings: whole("Interventions."), last: verdict },
        { description: "By the policy it was compared with." },
      ),
      after: object(
        { findings: whole("Interventions."), last: verdict },
        { description: "By the policy that was tried." },
      ),
      earliestDifference: orNull(object({ step: whole("Index of the step."), before: verdict, after: verdict })),
    }),
    "One result for each, in the given order.",
  ),
  unreadable: list(text("An index."), "Number of posted conversations that could not be read."),
});

/** Of dry runs. */
export const dryRunSchemas: Readonly<Record<string, JsonSchema>> = {
  DryRunRequest: bodies.DryRunRequest.schema,
  DryRun: dryRun,
};
