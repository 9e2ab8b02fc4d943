import { oneOf, orNull, text } from "../json-schema.ts";

export const detector = text(
  "The detector's name, such as `repeated-call`; `runaway-output` for an answer that was cut off.",
);

export const grade = orNull(text("A kind of the detector's findings with a ladder of its own, such as `failing`."));

export const rung = oneOf(
  ["nudge", "force-done", "short-circuit", "cut"],
  "How hard the guard intervened, or would have in observe mode.",
);

export const arm = orNull(oneOf(["enforced", "held-out"], "Side of a rollout by percentage; null without a rollout."));

export const mode = oneOf(["enforce", "observe", "off"], "How the policy is applied.");
