import type { Containment } from "../activity/activity.ts";
import type { Answer, ParsedRequest } from "../protocols/protocols.ts";
import { type Identity, type Intervention, type Ledger, tokensAsked, warningChanges } from "../session/session.ts";
import type { SessionKey } from "../store/store.ts";
import type { RequestContext } from "./context.ts";
import type { ContinuedTurn } from "./continuation.ts";
import type { ExchangeOutcome, Verdict } from "./outcome.ts";
import type { UsageMeter } from "./usage-meter.ts";
import type { WholeHistory } from "./whole-history.ts";

/** Update of a run by one request. It has the same fields whether the request was read whole or only its new messages. */
export interface RunUpdate {
  readonly context: RequestContext;
  readonly identity: Identity;
  /** The thread as it was stored; undefined where it was not, or was not read whole. */
  readonly stored: Ledger | undefined;
  /** The thread with the request's last step counted. */
  readonly tip: Ledger;
  /** Undefined where it was not read whole. */
  readonly request: ParsedRequest | undefined;
  /** The operator's order by which it was answered; undefined where there is none. */
  readonly containment: Containment | undefined;
  /** Whether operators are told of it, in journal and directory. */
  readonly isReported: boolean;
  /** Whether no upstream has let the run in, as far as is known. */
  readonly isUnverified: boolean;
  readonly isBeginning: boolean;
  readonly warnings: ReturnType<typeof warningChanges>;
  /** Intervention on the request's last step; undefined if an earlier copy of the request led to it already. */
  readonly intervention: Intervention | undefined;
  readonly usageMeter: UsageMeter | undefined;
  /** Tokens that upstream was spared, at the least. */
  avoidedTokens(verdict: Verdict): number;
  /** Whether the thread has been told of this loop before. */
  isKnownLoop(intervention: Intervention): boolean;
  /** The session that an answer is counted under. */
  sessionKey(answer: Answer | undefined): SessionKey;
  /** Identity of the run once it is answered: a first request may not have a name of its own yet. */
  identityAfter(answer: Answer | undefined): Identity;
}

/** Whether an operator has ended the exchange, before its answer or in the midst of it. */
export function wasContained({ containment }: RunUpdate, outcome: ExchangeOutcome): boolean {
  return containment !== undefined || outcome.contained === true;
}

export function updateOfWhole(whole: WholeHistory): RunUpdate {
  const { context, evaluated, stored, compacts, action, containment } = whole;
  const { identity, request, merged } = evaluated;
  const { save, counterBefore, tip, news } = merged;
  return {
    context,
    identity,
    stored: stored.ledger,
    tip,
    request,
    containment,
    isReported: whole.isReported,
    isUnverified: whole.isUnverified,
    isBeginning: stored.ledger === undefined && request.conversation.steps.length === 0,
    // None of a request that came again: it has been counted.
    warnings: save === undefined || compacts ? {} : warningChanges(counterBefore, tip),
    intervention: news,
    usageMeter: whole.usageMeter,
    // A request that was answered here was not asked upstream: what it would have shown the model, at the least.
    avoidedTokens: ({ verdict }) =>
      action.kind === "answer" && verdict === "short-circuit" ? tokensAsked(request.conversation, request.tools) : 0,
    isKnownLoop: ({ loop }) => stored.ledger?.interventions.some((earlier) => earlier.loop === loop) ?? false,
    sessionKey: (answer) => whole.budgetKey(answer) ?? identity.key,
    identityAfter: (answer) => whole.identityAfter(answer) ?? identity,
  };
}

export function updateOfTurn({ context, turn: { before, tip } }: ContinuedTurn): RunUpdate {
  const { identity } = before;
  return {
    context,
    identity,
    stored: undefined,
    tip,
    request: undefined,
    containment: undefined,
    isReported: true,
    isUnverified: false,
    isBeginning: false,
    warnings: warningChanges(before.tip.counter, tip),
    intervention: undefined,
    usageMeter: undefined,
    avoidedTokens: () => 0,
    isKnownLoop: () => false,
    sessionKey: () => identity.key,
    identityAfter: () => identity,
  };
}
