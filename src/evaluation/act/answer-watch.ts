import { doneNames, type Policy } from "../../policy/policy.ts";
import { type ParsedRequest, saysNothing } from "../../protocols/protocols.ts";
import {
  type EvaluationContext,
  type Identity,
  type Lookahead,
  lookaheadFor,
  type MergeResult,
  type PositionedIntervention,
} from "../../session/session.ts";
import type { Call, Step } from "../../step.ts";
import type { RequestContext } from "../context.ts";
import { doneToolOf, endedBy, noteFor } from "./interventions.ts";

/** What the answer to a request may lead to; undefined where it is not watched, or cannot complete a loop. */
export function lookaheadOn(
  merged: MergeResult,
  { thread }: Identity,
  request: ParsedRequest,
  terms: EvaluationContext,
  { policy, mode, memory }: RequestContext,
): Lookahead | undefined {
  // Of several alternatives nobody knows which one is taken; and what a stored conversation has heard cannot be asked in another way.
  const isAlone = !request.alternatives && request.keptUnder === undefined;
  if (mode !== "enforce" || policy.intercept !== "on" || !isAlone) return undefined;
  const { conversation } = request;
  const ahead = lookaheadFor(merged, conversation, terms);
  const lookahead = afterForceDone(merged.now, request, policy, ahead);
  if (lookahead === undefined) return undefined;
  const predict = (step: Step) => lookahead.predict(request.answered(step));
  // Clients that tell each call as a step of its own have kept them all.
  const keepsOne = conversation.steps.at(-1)?.calls.length === 1;
  if (!keepsOne || memory.parallelAnswers.get(thread) !== merged.tip.total - 1) return { ...lookahead, predict };
  // The client drops all of an answer's calls but one: whichever that is, it may complete the loop.
  const alone = (step: Step) => step.calls.map((call) => predict({ ...step, calls: [call] }));
  return { tools: undefined, predict: (step) => predict(step) ?? alone(step).find((one) => one !== undefined) };
}

/**
 * After force-done an answer that says nothing ends the run. Where a request goes on from an answer and tells no tools,
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
  const isDone = (tool: string) => tool === doneToolOf(request, policy) || doneNames(policy).includes(tool);
  const goesOn = ({ tool, outcome }: Call) => outcome === undefined && !isDone(tool);
  const end = endedBy(placed);
  const note = noteFor(request, placed, policy)?.text ?? "";
  const isEnd = (step: Step) => saysNothing(step, isDone, note) || (endsCalls && step.calls.some(goesOn));
  return { tools: undefined, predict: (step) => (isEnd(step) ? end : otherwise?.predict(step)) };
}
