export { reversalCall } from "./action-type.ts";
export { type GoalScore, goalScoreIn, opinionIn, type SignedGoalScore, signGoalScore } from "./score.ts";
export { type GoalDecision, decideOnGoal, isDue } from "./next-move.ts";
export { type History, isHistory } from "./history.ts";
export type { MoveTerms } from "./moves.ts";
export { goalChangeOf, withChoice } from "./goal-change.ts";
export { distancePrompt, opinionPrompt, type Prompt } from "./prompt.ts";
export { type GoalJudgement, takeIn, withJudgement } from "./take-in.ts";
