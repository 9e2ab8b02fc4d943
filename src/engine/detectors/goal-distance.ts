import type { Detector } from "../finding.ts";
import { toolsIn, indexedSteps } from "../view.ts";

/** What a plan's scores have led to; a policy without a judge has none. */
export const goalDistance: Detector = (view) => {
  const { goalChange, total } = view;
  if (goalChange === undefined) return [];
  const { kind, loop, count, ago, judgedAgo, course } = goalChange;
  const at = (steps: number) => Math.max(0, total - 1 - steps);
  const isOfPlan = kind === "met" || kind === "cancel";
  const about = at(ago);
  const score = course.after === undefined ? "not judged" : `${course.after} of 10`;
  return [
    {
      detector: "goal-distance",
      grade: kind,
      loop: `goal-distance:${loop}`,
      count,
      evidence: isOfPlan ? [0, total - 1] : [at(judgedAgo)],
      tools: isOfPlan ? [] : toolsIn(indexedSteps(view).filter((turn) => turn.at === about)),
      about,
      course,
      // What a user says is the plan's task, or belongs to its state.
      whoeverSpoke: true,
      note: `${kind}, ${course.why ?? score}`,
    },
  ];
};
