import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { detector, rung } from "./common.ts";
import { listSchema, recordSchema, orNull, textSchema, wholeSchema } from "../json-schema.ts";

const verdict = orNull(
  recordSchema({
    step: wholeSchema("Index of the step."),
    detector,
    rung,
    count: wholeSchema("How often."),
    note: textSchema("What was seen."),
  }),
);

const dryRun = recordSchema({
  policy: textSchema("The policy that was tried."),
  against: textSchema("The policy it was compared with."),
  total: wholeSchema("Conversations or threads that were judged."),
  changed: wholeSchema("Conversations or threads with a different result."),
  results: listSchema(
    recordSchema({
      id: textSchema("Index or id of the conversation, or the id of the session."),
      thread: orNull(textSchema("The thread; null for a posted conversation.")),
      steps: wholeSchema("Steps that were judged."),
      skipped: wholeSchema("Older steps, which were only counted."),
      before: recordSchema(
        { findings: wholeSchema("Interventions."), last: verdict },
        "By the policy it was compared with.",
      ),
      after: recordSchema({ findings: wholeSchema("Interventions."), last: verdict }, "By the policy that was tried."),
      earliestDifference: orNull(
        recordSchema({ step: wholeSchema("Index of the step."), before: verdict, after: verdict }),
      ),
    }),
    "One result for each, in the given order.",
  ),
  unreadable: listSchema(textSchema("An index."), "Indexes of the posted conversations that could not be read."),
});

/** Schemas of dry runs. */
export const dryRunSchemas: Readonly<Record<string, JsonSchema>> = {
  DryRunRequest: bodies.DryRunRequest.schema,
  DryRun: dryRun,
};
