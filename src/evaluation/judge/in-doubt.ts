import { type Doubt, doubtIn } from "../../engine/engine.ts";
import { heededDoubt, type Opinion, type OpinionTerms } from "../../policy/policy.ts";
import { type Ledger, taskAt } from "../../session/session.ts";
import type { Conversation } from "../../step.ts";

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
export function isUnheard(opinion: Opinion | undefined, { memory, since }: Ledger, at: number): boolean {
  return heededDoubt(memory.doubt, opinion, { at, since }) !== undefined;
}

/** The task by which a judge goes: in talk every word of the other side would be one, so it is what the run began with. */
export function taskInDoubt(conversation: Conversation, { isTalk }: Doubt): string {
  return taskAt(conversation, isTalk ? 0 : conversation.steps.length);
}
