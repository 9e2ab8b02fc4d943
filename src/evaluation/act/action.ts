import { UnloopError } from "../../errors.ts";
import { doneNames, limitsBudget, type Policy } from "../../policy/policy.ts";
import { type Failure, type ParsedRequest, type Protocol, type Reply, saysNothing } from "../../protocols/protocols.ts";
import {
  type EvaluationContext,
  type Identity,
  type Ledger,
  type Lookahead,
  lookaheadFor,
  type MergeResult,
  type PositionedIntervention,
} from "../../session/session.ts";
import { type Step, UNKNOWN_TOOL } from "../../step.ts";
import type { RequestContext } from "../context.ts";
import type { LoadedRun } from "../load/load-state.ts";
import { containedVerdict, type Verdict } from "../outcome.ts";
import type { ReadRequest } from "../read/read-request.ts";
import { type Change, changedRequest, doneToolOf, endedBy, noteFor, ownAnswer, undoingCall } from "./interventions.ts";

export type RequestAction =
  /** Send it on: as it came, or changed. `end`: what ends the run if the API takes nothing that the change says. */
  | {
      readonly kind: "forward";
      readonly change?: Change;
      readonly end?: PositionedIntervention;
      readonly verdict: Verdict;
    }
  | { readonly kind: "answer"; readonly status: number; readonly reply: Reply; readonly verdict: Verdict };

export const unguarded: RequestAction = { kind: "forward", verdict: { verdict: "unguarded" } };

const budgetUnknown = new UnloopError("budget_unknown", "The session's budget could not be read.");

export function failureOf({ code, status, message, cure }: UnloopError): Failure {
  return { code, status, message: `${message} ${cure}` };
}

export function unreadAction({ protocol, unreadable, mode, policy }: RequestContext, why?: "size"): RequestAction {
  if (why === "size" && mode === "enforce" && deniesUnknown(policy)) return refused(budgetUnknown, protocol);
  if (unreadable === "pass" || mode !== "enforce") return unguarded;
  return refused(
    why === "size"
      ? new UnloopError("body_too_large", "There is more in the request than Unloop reads, so it cannot be guarded.")
      : new UnloopError("unreadable", "The request's body is not in this API's format, so it cannot be guarded."),
    protocol,
  );
}

/** A budget that cannot be read is no budget: some would rather wait than overspend. */
const deniesUnknown = (policy: Policy): boolean => policy.budget?.whenUnknown === "deny" && limitsBudget(policy);

export function sessionRefused(protocol: Protocol): RequestAction {
  const error = new UnloopError("session_contained", "An operator has ended this session.");
  return { ...refused(error, protocol), verdict: containedVerdict(unguarded.verdict) };
}

export function modelRefused(protocol: Protocol): RequestAction {
  return refused(new UnloopError("model_refused", "This client key may not ask this model."), protocol);
}

function refused(error: UnloopError, protocol: Protocol): RequestAction {
  const reply = protocol.error(failureOf(error), "body");
  return { kind: "answer", status: error.status, reply, verdict: { verdict: "refused" } };
}

/** @param degraded the store failed, or takes no writes: only the request's own history, or an older record, was judged */
export function actionFor(
  { request, run: { identity } }: LoadedRun,
  merged: MergeResult,
  context: RequestContext,
  degraded: boolean,
): RequestAction {
  const { policy, mode, protocol, stamp } = context;
  const { now, tip, earlier } = merged;
  const { session, label, source } = identity;
  const steps = stepsRead(request, tip);
  const unread = steps === 0 ? request.whole().unread : undefined;
  const read = request.isPartial || merged.isPartial ? ("partly" as const) : undefined;
  const whose = { verdict: degraded ? "degraded" : "ok", session, label, source, steps, unread, read };
  const quiet: Verdict = { counter: tip.counter, ...whose };
  if (degraded && mode === "enforce" && deniesUnknown(policy))
    return { ...refused(budgetUnknown, protocol), verdict: { ...whose, verdict: "degraded" } };
  if (now === undefined)
    return mode === "observe" ? { kind: "forward", verdict: quiet } : rewritten(request, merged, quiet, quiet, context);
  const { intervention } = now;
  if (mode === "observe")
    return { kind: "forward", verdict: { ...whose, intervention, verdict: `observe:${intervention.rung}` } };
  const acted: Verdict = { ...whose, intervention, verdict: intervention.rung };
  if (intervention.rung === "short-circuit") {
    const wasEnded = earlier.some(
      ({ intervention: { rung, loop } }) => rung === "short-circuit" && loop === intervention.loop,
    );
    return {
      kind: "answer",
      ...ownAnswer(request.whole(), now, { protocol, policy, stamp, wasEnded }),
      verdict: acted,
    };
  }
  return undone(request.whole(), now, acted, context) ?? rewritten(request, merged, acted, quiet, context);
}

/** Steps that are understood: those that the request tells, or, where it goes on from an answer, those of its thread. A call of which only its outcome is known is none. */
export function stepsRead({ base, whole }: ReadRequest, tip: Ledger): number {
  if (base !== undefined) return tip.carried;
  const { conversation, previousAnswerId } = whole();
  const known = conversation.steps.filter(
    ({ calls }) => calls.length === 0 || calls.some(({ tool }) => tool !== UNKNOWN_TOOL),
  ).length;
  return known > 0 && previousAnswerId !== undefined ? tip.total : known;
}

/** The agent is made to undo its last action, if a call can say that. */
function undone(
  request: ParsedRequest,
  now: PositionedIntervention,
  acted: Verdict,
  { protocol, policy, stamp }: RequestContext,
): RequestAction | undefined {
  const call = undoingCall(request, now, policy);
  if (call === undefined) return undefined;
  const reply = protocol.reply(request, { text: "", doneTool: undefined, call }, stamp());
  return { kind: "answer", status: 200, reply, verdict: { ...acted, verdict: "short-circuit" } };
}

/** @param quiet the verdict where no edit found a place. */
function rewritten(
  request: ReadRequest,
  merged: MergeResult,
  acted: Verdict,
  quiet: Verdict,
  context: RequestContext,
): RequestAction {
  const { now, earlier } = merged;
  if (now === undefined && earlier.length === 0 && context.policy.preamble === undefined)
    return { kind: "forward", verdict: quiet };
  const change = changedRequest(request, merged, context);
  const body = request.text();
  if (change.body === body) return { kind: "forward", verdict: quiet };
  const sticky = earlier.filter(({ intervention }) => intervention.rung !== "short-circuit").length;
  // A conversation that the API keeps has heard what was asked of it.
  const mayEnd = now?.intervention.rung === "force-done" && request.whole().keptUnder === undefined;
  return {
    kind: "forward",
    change: { ...change, forms: [...change.forms, { as: "plain", body }] },
    ...(mayEnd && { end: endedBy(now) }),
    verdict: { ...acted, sticky },
  };
}

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

/** After force-done an answer that says nothing ends the run. @param otherwise what else the answer may lead to */
export function afterForceDone(
  placed: PositionedIntervention | undefined,
  request: ParsedRequest,
  policy: Policy,
  otherwise: Lookahead | undefined,
): Lookahead | undefined {
  if (placed?.intervention.rung !== "force-done") return otherwise;
  const isDone = (tool: string) => tool === doneToolOf(request, policy) || doneNames(policy).includes(tool);
  const end = endedBy(placed);
  const note = noteFor(request, placed, policy)?.text ?? "";
  const isEmpty = (step: Step) => saysNothing(step, isDone, note, request.work);
  return { tools: undefined, predict: (step) => (isEmpty(step) ? end : otherwise?.predict(step)) };
}
