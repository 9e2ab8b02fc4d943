import type { JsonSchema } from "../../../shapes/shapes.ts";
import { detector, rung } from "./common.ts";
import {
  listSchema,
  recordSchema,
  oneOfSchema,
  orNull,
  ref,
  textSchema,
  time,
  wholeSchema,
  yesNo,
} from "../json-schema.ts";

const entry = recordSchema(
  {
    id: textSchema("Its position in the journal, as a value for `before` and `Last-Event-ID`."),
    at: time("When."),
    type: oneOfSchema(
      [
        "intervention",
        "recovered",
        "warning",
        "near-miss",
        "contain",
        "contained",
        "release",
        "reset",
        "feedback",
        "config",
      ],
      "`warning`: one more step of the loop reaches `rung`. `near-miss`: the step after a warning did not continue the loop. `recovered`: the loop did not occur in the run's next five steps. `contained`: a containment ended an exchange. `config`: a configuration was applied or refused.",
    ),
    "session?": textSchema("Id of the session."),
    "name?": textSchema("The session's name."),
    "tenant?": textSchema("Its tenant."),
    "policy?": textSchema("The policy."),
    "mode?": textSchema("The mode."),
    "arm?": oneOfSchema(["enforced", "held-out"], "Side of a rollout by percentage."),
    "detector?": detector,
    "grade?": textSchema("A kind of the detector's findings."),
    "rung?": rung,
    "count?": wholeSchema("How often it had happened."),
    "of?": wholeSchema("For a warning: the count that reaches `rung`."),
    "repeats?": textSchema("Repetitions so far, and the number that reaches `rung`: `1/2`."),
    "step?": wholeSchema("Index of the step."),
    "tools?": listSchema(textSchema("A tool."), "The loop's tools."),
    "note?": textSchema("What was seen, in one sentence."),
    "foreseen?": yesNo("The intervention was on an answer, before the agent could act on it."),
    "actor?": textSchema("The actor: a token's name, or `file` for a changed configuration file."),
    "reason?": textSchema("Why."),
    "word?": oneOfSchema(["right", "wrong"], "What an operator said of the intervention."),
  },
  "One event; which fields it has depends on its type.",
);

/** Schemas of the journal. */
export const journalSchemas: Readonly<Record<string, JsonSchema>> = {
  Entry: entry,
  EntryPage: recordSchema({
    entries: listSchema(ref("Entry"), "Newest first."),
    next: orNull(textSchema("`before` of the next page; null at the end.")),
  }),
};
