import {
  decideOnGoal,
  type GoalDecision,
  type History,
  goalChangeOf,
  signGoalScore,
  takeIn,
  type GoalScore,
  withJudgement,
  withChoice,
} from "../../src/goal-judge/goal-judge.ts";
import type { Planning } from "../../src/policy/policy.ts";
import type { Step } from "../../src/step.ts";
import { preset, sign } from "../support/builders/detection.ts";
import { conversation, type Part } from "../support/builders/steps.ts";

/** A turn of a plan, what a judge says of the state after it, and whether the agent is told what follows from that. */
export interface Turn {
  readonly step: Step;
  /** Undefined: nobody has judged it in time. */
  readonly verdict?: Partial<GoalScore>;
}

export const standardPlanning: Planning = preset("local-planning").planning ?? never();

export const termsWith = (planning: Partial<Planning> = {}) => ({
  sign,
  planning: { ...standardPlanning, ...planning },
  tools: {},
});

export const verdict = (said: Partial<GoalScore>): GoalScore => ({
  ...{ distance: 3, before: undefined, reasons: "", met: false, reachable: true, unexplored: [] },
  ...said,
});

/** The decision after each turn; a plan goes through its stored form after each, and the agent is told of each. */
export function decisions(turns: readonly Turn[], planning: Partial<Planning> = {}): readonly GoalDecision[] {
  return play(turns, planning).map((at) => at.decision);
}

export function play(turns: readonly Turn[], planning: Partial<Planning> = {}, opening: readonly Part[] = []) {
  const terms = termsWith(planning);
  let history: History | undefined;
  return turns.map(({ verdict: said }, i) => {
    const told = conversation([...opening, ...turns.slice(0, i + 1).map(({ step }) => step)]);
    const taken = takeIn(history, told, terms);
    const key = taken.keys.at(-1) ?? "";
    const judged = said === undefined ? taken : withJudgement(taken, signGoalScore(key, verdict(said), sign).judgement);
    const decision = decideOnGoal(judged, terms.planning);
    const goalChange = goalChangeOf(decision, judged, told, sign);
    history = JSON.parse(JSON.stringify(goalChange === undefined ? judged : withChoice(judged, goalChange)));
    return { history: history ?? never(), decision, told };
  });
}

function never(): never {
  throw new Error("This is always there.");
}
