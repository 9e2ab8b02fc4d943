import {
  amountSchema,
  listSchema,
  oneOfSchema,
  orNull,
  recordSchema,
  textSchema,
  wholeSchema,
  yesNo,
} from "../json-schema.ts";
import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";

export const detector = textSchema(
  "The detector's name, such as `repeated-call`; `runaway-output` for an answer that was cut off.",
);

export const grade = orNull(
  textSchema("A kind of the detector's findings with a ladder of its own, such as `failing`."),
);

export const rung = oneOfSchema(
  ["nudge", "force-done", "short-circuit", "cut"],
  "How hard the guard intervened, or would have in observe mode.",
);

export const arm = orNull(
  oneOfSchema(["enforced", "held-out"], "Side of a rollout by percentage; null without a rollout."),
);

export const mode = oneOfSchema(["enforce", "observe", "off"], "How the policy is applied.");

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
