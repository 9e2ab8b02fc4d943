import type { JsonSchema } from "../../../shapes/shapes.ts";
import { detector, rung } from "./common.ts";
import { list, object, oneOf, orNull, ref, text, time, whole, yesNo } from "../json-schema.ts";

const entry = object(
  {
    id: text("Its position in the journal, as a value for `before` and `Last-Event-ID`."),
    at: time("When."),
    type: oneOf(
      ["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset", "config"],
      "`warning`: one more step of the loop reaches `rung`. `near-miss`: the step after a warning did not continue the loop. `recovered`: the loop did not occur in the run's next five steps. `contained`: a containment ended an exchange. `config`: a configuration was applied or refused.",
    ),
    session: text("Id of the session."),
    name: text("The session's name."),
    tenant: text("Its tenant."),
    policy: text("The policy."),
    mode: text("The mode."),
    arm: oneOf(["enforced", "held-out"], "Side of a rollout by percentage."),
    detector,
    grade: text("A kind of the detector's findings."),
    rung,
    count: whole("How often it had happened."),
    of: whole("For a warning: the count that reaches `rung`."),
    repeats: text("Repetitions so far, and the number that reaches `rung`: `1/2`."),
    step: whole("Index of the step."),
    tools: list(text("A tool."), "The loop's tools."),
    note: text("What was seen, in one sentence."),
    foreseen: yesNo("The intervention was on an answer, before the agent could act on it."),
    actor: text("The actor: a token's name, or `file` for a changed configuration file."),
    reason: text("Why."),
  },
  {
    optional: [
      "session",
      "name",
      "tenant",
      "policy",
      "mode",
      "arm",
      "detector",
      "grade",
      "rung",
      "count",
      "of",
      "repeats",
      "step",
      "tools",
      "note",
      "foreseen",
      "actor",
      "reason",
    ],
    description: "One event; which fields it has depends on its type.",
  },
);

/** Of the journal. */
export const journalSchemas: Readonly<Record<string, JsonSchema>> = {
  Entry: entry,
  EntryPage: object({
    entries: list(ref("Entry"), "Newest first."),
    next: orNull(text("`before` of the next page; null at the end.")),
  }),
};
