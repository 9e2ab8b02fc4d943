import type { GoalChange } from "../../src/engine/engine.ts";
import { heeding } from "../../src/judge/judge.ts";
import { type GoalScore, type Plan, planIn } from "../../src/judge/plan-view.ts";
import { judgeTermsOf, type Policy, policyFrom } from "../../src/policy/policy.ts";
import { emptyLedger, type Ledger, mergeHistory } from "../../src/session/session.ts";
import type { Step } from "../../src/step.ts";
import { judgeWith, printOf, stored } from "../support/builders/detection.ts";
import { conversation, type Part } from "../support/builders/steps.ts";

/** A turn of a plan, and what a judge says of the state after it. */
export interface Turn {
  readonly step: Step;
  /** Undefined: nobody has judged it in time. */
  readonly score?: Partial<GoalScore>;
}

export const scoreOf = (said: Partial<GoalScore>): GoalScore => ({
  ...{ distance: 3, met: false, reachable: true, open: [], why: "" },
  ...said,
});

export interface Played {
  readonly plan: Plan;
  readonly change: GoalChange | undefined;
  readonly ledger: Ledger;
}

/** A plan turn by turn: the thread goes through its stored form after each, the judge speaks before it is decided on, and the agent is told. */
export function play(turns: readonly Turn[], judge: object = {}, opening: readonly Part[] = []): readonly Played[] {
  const policy: Policy = policyFrom({ extends: "local-planning", judge });
  let ledger: Ledger | undefined;
  return turns.map(({ step, score }, i) => {
    const told = conversation([...opening, ...turns.slice(0, i + 1).map((turn) => turn.step)]);
    const known = ledger ?? emptyLedger(told, judgeWith({ policy }));
    const at = told.steps.length - 1;
    const advice = [...(known.advice ?? []), ...(score ? [{ at, key: printOf(step).key, score: scoreOf(score) }] : [])];
    let change: GoalChange | undefined;
    const heed = heeding(told, policy, true);
    const merged = mergeHistory({ ...known, advice }, told, {
      ...judgeWith({ policy }),
      heed: (run) => {
        ({ goalChange: change } = heed(run));
        return heed(run);
      },
    });
    ledger = stored(merged.save ?? known);
    const { actions, maxSteps } = judgeTermsOf(policy) ?? { actions: [], maxSteps: 50 };
    return { plan: planIn(merged.tip, told, { actions, maxSteps, isTold: true }), change, ledger };
  });
}
