import { type Doubt, doubtIn } from "../../engine/engine.ts";
import { opinionIn, opinionPrompt } from "../../goal-judge/goal-judge.ts";
import {
  heededDoubt,
  type LoopCounter,
  type Opinion,
  type OpinionTerms,
  secondOpinionOf,
} from "../../policy/policy.ts";
import { type Ledger, taskAt } from "../../session/session.ts";
import type { Conversation } from "../../step.ts";
import type { ThreadKey } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { AdvisedRun, JudgedRequest } from "./advice.ts";
import { ask, type AskUpstream, isAffordable, ownJudge, upstreamJudge } from "./ask.ts";

/**
 * Beside an exchange: where a loop is about to be nudged, or rules are in doubt, a judge is asked whether it is one. A later
 * request goes by what it says, and nothing waits for it. @throws whatever the stores throw.
 */
export async function askSecondOpinion(
  run: AdvisedRun,
  { merged, isForwarded, target }: JudgedRequest,
  askUpstream: AskUpstream,
  context: RequestContext,
): Promise<void> {
  const { judgeState, policy, sign } = context;
  const terms = secondOpinionOf(policy);
  if (terms === undefined || !isForwarded || run.compacts || !isAffordable(run, terms)) return;
  const { conversation } = run;
  const { thread } = run.identity;
  const judge = judgeFor(terms, target, askUpstream, context);
  const asked = judge && askedAbout(merged.tip, thread, conversation, context);
  if (judge === undefined || asked === undefined) return;
  const { detector, seen, task, ...opinion } = asked;
  if (opinion.at !== undefined) judgeState.askedAt.put(thread, opinion.at);
  const looping = await ask<boolean>(
    {
      ...{ kind: "second-opinion", judge },
      prompt: () => opinionPrompt({ conversation, task, terms, seen, sign }),
      read: opinionIn,
      outcomeOf: (isLoop) => (isLoop ? "confirmed" : "cleared"),
      factsOf: () => ({ detector }),
    },
    run,
    context,
  );
  if (looping !== undefined) judgeState.opinions.put(thread, { ...opinion, looping });
}

/**
 * Whether a request of a thread concerns a judge, and so is read whole: one is to be asked about it, or has said what the thread
 * has not heard yet. @param tip with the request's last step counted
 */
export function concernsJudge(
  tip: Ledger,
  thread: ThreadKey,
  { policy, judgeState }: Pick<RequestContext, "policy" | "judgeState">,
): boolean {
  const terms = secondOpinionOf(policy);
  if (terms === undefined) return false;
  if (isUnheard(judgeState.opinions.get(thread), tip, tip.total - 1)) return true;
  if (terms.asks === "near") return tip.counter !== undefined;
  return doubtAt(tip, terms, judgeState.askedAt.get(thread)) !== undefined;
}

function judgeFor({ judge, model }: OpinionTerms, target: string, askUpstream: AskUpstream, context: RequestContext) {
  if (judge === "own") return ownJudge(context.judgeState);
  return model === undefined ? undefined : upstreamJudge(model, target, askUpstream, context);
}

/** What an opinion will be about. */
interface AskedAbout extends Omit<Opinion, "looping"> {
  readonly detector: string;
  readonly seen: string;
  readonly task: string;
}

/** Undefined where there is nothing to ask about, or it was asked about already. */
function askedAbout(
  tip: Ledger,
  thread: ThreadKey,
  conversation: Conversation,
  { policy, judgeState: { askedAt, opinions } }: Pick<RequestContext, "policy" | "judgeState">,
): AskedAbout | undefined {
  const terms = secondOpinionOf(policy);
  if (terms === undefined) return undefined;
  if (terms.asks === "doubt") {
    const doubt = doubtAt(tip, terms, askedAt.get(thread));
    if (doubt === undefined) return undefined;
    const { detector, loop, seen } = doubt;
    return { detector, loop, seen, at: tip.total - 1, task: taskInDoubt(conversation, doubt) };
  }
  const { counter } = tip;
  if (counter === undefined || !isNear(counter, terms.lead) || opinions.get(thread)?.loop === counter.loop)
    return undefined;
  const task = taskAt(conversation, conversation.steps.length);
  return { loop: counter.loop, detector: counter.detector, seen: counter.note, task };
}

/** What comes next is a nudge, and it is near. */
function isNear({ rung, of, count }: LoopCounter, lead: number): boolean {
  return rung === "nudge" && of - count <= lead;
}

/**
 * Whether a judge is to be asked about a run's newest steps, and what they are. Undefined where nothing is in doubt, a rule has
 * spoken lately, or it is too soon. @param askedAt index of the step that was asked about last
 */
export function doubtAt(
  { window, total, since, requestedRepeats, interventions, memory }: Ledger,
  { evidence, every }: OpinionTerms,
  askedAt = memory.doubt?.at,
): Doubt | undefined {
  const at = total - 1;
  const isRecent = (index: number | undefined) => index !== undefined && at - index < every;
  if (isRecent(askedAt) || isRecent(memory.doubt?.at) || isRecent(interventions.at(-1)?.at)) return undefined;
  return doubtIn(
    { window: window.slice(-Math.max(1, total - since)), total, requestedRepeats, elsewhere: 0 },
    evidence,
  );
}

/** The thread has not heard yet what a judge has said of it. @param at index of the step that would hear it */
function isUnheard(opinion: Opinion | undefined, { memory, since }: Ledger, at: number): boolean {
  return heededDoubt(memory.doubt, opinion, { at, since }) !== undefined;
}

/** The task by which a judge goes: in talk every word of the other side would be one, so it is what the run began with. */
export function taskInDoubt(conversation: Conversation, { isTalk }: Doubt): string {
  return taskAt(conversation, isTalk ? 0 : conversation.steps.length);
}
