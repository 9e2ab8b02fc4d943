import { asksForRepetition } from "../../runaway/runaway.ts";
import { doneNames, type Policy, type RunawayTerms } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import { type Lookahead, type PositionedIntervention, taskAt } from "../../session/session.ts";
import type { Call } from "../../step.ts";
import type { RequestContext } from "../context.ts";

/** Whether answers are watched for completing a loop. Of several alternatives nobody knows which one is taken. */
export function intercepts(ask: ParsedRequest, { policy, mode }: RequestContext): boolean {
  // What a stored conversation has heard once cannot be asked in another way.
  return mode === "enforce" && policy.intercept === "on" && !ask.alternatives && ask.keptUnder === undefined;
}

/**
 * Where a request goes on from an answer and tells no tools, none can be switched off: after force-done, calls that are made all
 * the same end the run. Undefined elsewhere.
 */
export function afterForceDone(
  placed: PositionedIntervention | undefined,
  { previousAnswerId, tools }: ParsedRequest,
  policy: Policy,
): Lookahead | undefined {
  if (placed?.intervention.rung !== "force-done" || !policy.finalResponseAfterFailure) return undefined;
  if (previousAnswerId === undefined || tools.length > 0) return undefined;
  const ended = { ...placed, intervention: { ...placed.intervention, rung: "short-circuit", foreseen: true } } as const;
  const goesOn = ({ tool, outcome }: Call) => outcome === undefined && !doneNames(policy).includes(tool);
  return { tools: undefined, predict: ({ calls }) => (calls.some(goesOn) ? ended : undefined) };
}

export function runawayIn(ask: ParsedRequest, { policy }: RequestContext): RunawayTerms | undefined {
  if (policy.runaway === "off" || !ask.streams || ask.alternatives) return undefined;
  const task = taskAt(ask.conversation, ask.conversation.steps.length);
  return asksForRepetition(task) ? undefined : policy.runaway;
}
