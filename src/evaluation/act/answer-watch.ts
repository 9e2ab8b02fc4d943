import { asksForRepetition } from "../../runaway/runaway.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import { taskAt } from "../../session/session.ts";
import type { RequestContext } from "../context.ts";

/** Whether answers are watched for completing a loop. Of several alternatives nobody knows which one is taken. */
export function intercepts(ask: ParsedRequest, { policy, mode }: RequestContext): boolean {
  // What a stored conversation has heard once cannot be asked in another way.
  return mode === "enforce" && policy.intercept === "on" && !ask.alternatives && ask.keptUnder === undefined;
}

export function runawayIn(ask: ParsedRequest, { policy }: RequestContext): RunawayTerms | undefined {
  if (policy.runaway === "off" || !ask.streams || ask.alternatives) return undefined;
  const task = taskAt(ask.conversation, ask.conversation.steps.length);
  return asksForRepetition(task) ? undefined : policy.runaway;
}
