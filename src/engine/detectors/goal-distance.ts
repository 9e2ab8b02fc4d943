import { defineDetector } from "../detector.ts";
import { toolsIn, indexedSteps } from "../view.ts";

/** The identity of the loop that a change of a plan is told as. */
export function loopOfGoal(loop: string): string {
  return `goal-distance:${loop}`;
}

/** Goal distance: the outcome of a plan's scores; a policy without a judge has none. */
export const goalDistance = defineDetector({
  name: "goal-distance",
  grades: { met: "extra", option: "extra", revert: "extra", cancel: "extra" },
  tells: "plan",
  settings: {},
  detect(view) {
    const { goalChange, total } = view;
    if (goalChange === undefined) return [];
    const { kind, loop, count, ago, judgedAgo, course } = goalChange;
    const at = (steps: number) => Math.max(0, total - 1 - steps);
    const isOfPlan = kind === "met" || kind === "cancel";
    const about = at(ago);
    const score = course.after === undefined ? "not judged" : `${course.after} of 10`;
    return [
      {
        grade: kind,
        loop: loopOfGoal(loop),
        count,
        evidence: isOfPlan ? [0, total - 1] : [at(judgedAgo)],
        tools: isOfPlan ? [] : toolsIn(indexedSteps(view).filter((turn) => turn.at === about)),
        about,
        course,
        ...(kind === "met" ? { outcome: kind } : {}),
        // What a user says is the plan's task, or belongs to its state.
        evenIfUserSpoke: true,
        note: `${kind}, ${course.why ?? score}`,
      },
    ];
  },
});
