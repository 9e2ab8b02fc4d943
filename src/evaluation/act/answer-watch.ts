import { asksForRepetition } from "../../runaway/runaway.ts";
import { doneNames, type Policy, type RunawayTerms } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import { type Lookahead, type PositionedIntervention, taskAt } from "../../session/session.ts";
import type { Call, Step } from "../../step.ts";
import type { RequestContext } from "../context.ts";
import { doneToolOf, endedBy } from "./interventions.ts";

/** Whether answers are watched for completing a loop. Of several alternatives nobody knows which one is taken. */
export function intercepts(ask: ParsedRequest, { policy, mode }: RequestContext): boolean {
  // What a stored conversation has heard once cannot be asked in another way.
  return mode === "enforce" && policy.intercept === "on" && !ask.alternatives && ask.keptUnder === undefined;
}

/**
 * After force-done an answer without words and calls ends the run. Where a request goes on from an answer and tells no tools,
 * none can be switched off: there calls that are made all the same end it, too. Undefined after any other rung.
 * @param otherwise what else the answer may lead to
 */
export function afterForceDone(
  placed: PositionedIntervention | undefined,
  request: ParsedRequest,
  policy: Policy,
  otherwise: Lookahead | undefined,
): Lookahead | undefined {
  if (placed?.intervention.rung !== "force-done") return otherwise;
  const isUntold = request.previousAnswerId !== undefined && request.tools.length === 0;
  const endsCalls = isUntold && policy.finalResponseAfterFailure;
  const goesOn = ({ tool, outcome }: Call) => outcome === undefined && !doneNames(policy).includes(tool);
  const end = endedBy(placed);
  const isEnd = (step: Step) => saysNothing(step) || (endsCalls && step.calls.some(goesOn));
  return {
    // A call that failed before it was made is no answer, either.
    tools: doneToolOf(request, policy) === undefined ? undefined : otherwise ? otherwise.tools : NO_TOOLS,
    predict: (step) => (isEnd(step) ? end : otherwise?.predict(step)),
  };
}

const NO_TOOLS: ReadonlySet<string> = new Set();

function saysNothing({ text, calls }: Step): boolean {
  return text.trim() === "" && calls.every(({ outcome }) => outcome !== undefined);
}

export function runawayIn(ask: ParsedRequest, { policy }: RequestContext): RunawayTerms | undefined {
  if (policy.runaway === "off" || !ask.streams || ask.alternatives) return undefined;
  const task = taskAt(ask.conversation, ask.conversation.steps.length);
  return asksForRepetition(task) ? undefined : policy.runaway;
}
