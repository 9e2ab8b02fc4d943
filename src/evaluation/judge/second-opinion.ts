import { opinionIn, opinionPrompt } from "../../goal-judge/goal-judge.ts";
import { type LoopCounter, secondOpinionOf } from "../../policy/policy.ts";
import { taskAt } from "../../session/session.ts";
import type { RequestContext } from "../context.ts";
import type { AdvisedRun, JudgedRequest } from "./advice.ts";
import { askInTurn, isAffordable } from "./ask.ts";

/**
 * Beside an exchange: where a loop is about to be nudged, a judge is asked whether it is one. A later request goes by what it
 * says: a nudge is said at once, or left out. It ends no run, and nothing waits for it. @throws whatever the stores throw.
 */
export async function askSecondOpinion(
  { conversation, identity, totals, budgetKey, compacts }: AdvisedRun,
  { merged, isForwarded }: JudgedRequest,
  context: RequestContext,
): Promise<void> {
  const { judgeState, policy, sign } = context;
  const { endpoint } = judgeState;
  const terms = secondOpinionOf(policy);
  const { counter } = merged.tip;
  if (terms === undefined || endpoint === undefined || counter === undefined || !isForwarded || compacts) return;
  const { thread } = identity;
  if (!isNear(counter, terms.lead) || judgeState.opinionOf(thread)?.loop === counter.loop) return;
  if (!isAffordable(totals, terms)) return;
  const task = taskAt(conversation, conversation.steps.length);
  const looping = await askInTurn<boolean>(
    {
      ...{ endpoint, identity, name: `${thread}-opinion`, budgetKey, deadline: undefined, event: "second-opinion" },
      prompt: () => opinionPrompt({ conversation, task, terms, seen: counter.note, sign }),
      read: opinionIn,
      outcomeOf: (isLoop) => (isLoop ? "confirmed" : "cleared"),
      factsOf: () => ({ detector: counter.detector }),
    },
    context,
  );
  if (looping !== undefined) judgeState.opine(thread, { loop: counter.loop, looping });
}

/** What comes next is a nudge, and it is near. */
function isNear({ rung, of, count }: LoopCounter, lead: number): boolean {
  return rung === "nudge" && of - count <= lead;
}
