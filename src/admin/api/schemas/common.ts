import { oneOfSchema, orNull, textSchema } from "../json-schema.ts";

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
