/** Goal change: what the scores of a plan have led to at a step. Plain JSON, without any text of the conversation. */
export interface GoalChange {
  readonly kind: "met" | "option" | "revert" | "cancel";
  /** Tells it from other news of the same plan. */
  readonly loop: string;
  readonly count: number;
  /** How many steps before this one that step lies which it is about, and the one that was judged. */
  readonly ago: number;
  readonly judgedAgo: number;
  readonly course: PlanProgress;
}

/** Course of a plan. Steps are given by how many steps they lie before the one at which it is told. */
export interface PlanProgress {
  /** How near the goal was, from 0 (far) to 10 (reached), before the step it is about and by now. */
  readonly before?: number;
  readonly after?: number;
  /** Type of the action to undo. */
  readonly type?: string;
  /** The action's effect is still visible, so that a call can undo it. */
  readonly stands?: true;
  /** Why the plan is given up. */
  readonly why?: string;
  /** Number of times that the reason was observed. */
  readonly times?: number;
  /** Signature of what the judge says to it: the option to try, or its reasons. */
  readonly said?: string;
  readonly tried?: readonly number[];
  readonly undone?: readonly number[];
}
