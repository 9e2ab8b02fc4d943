import type { Sign } from "../text/sign.ts";
import type { GoalScore } from "./score.ts";
import type { GoalJudgement } from "./take-judgement.ts";
import { goalWords } from "./words.ts";

export interface SignedGoalScore {
  readonly judgement: GoalJudgement;
  /** What the signatures stand for; to be held in memory and never kept. */
  readonly texts: readonly (readonly [signature: string, text: string])[];
}

/** A verdict as it may be kept: its texts as signatures. @param key of the step after which the state was judged */
export function signGoalScore(key: string, verdict: GoalScore, sign: Sign): SignedGoalScore {
  const { distance, before, met, reachable, reasons, unexplored } = verdict;
  const why = sign(`reasons\u0000${reasons}`);
  const options = unexplored?.map((text) => [sign(`option\u0000${goalWords(text)}`), text] as const);
  const open = options?.map(([signature]) => signature);
  return {
    judgement: { key, distance, before, met, reachable, open, why },
    texts: [...(options ?? []), ...(reasons === "" ? [] : [[why, reasons] as const])],
  };
}
