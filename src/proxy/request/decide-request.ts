import { type RunawayTerms, watchesRetries } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  follow,
  identify,
  isOfOneRun,
  type EvaluationContext,
  type StoredLedger,
  noStoredLedger,
  spentElsewhere,
  spentIn,
  arrivalOf,
  type NextTurn,
  type Lookahead,
  lookaheadFor,
} from "../../session/session.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import { type UsageMeter, usageMeterFor } from "../relay/usage-meter.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { Containment } from "../../activity/activity.ts";
import type { AbridgedBody } from "./abridged-body.ts";
import { type JudgedRequest, type RequestAction, actionFor } from "./action.ts";
import { type GoalPlan, goalPlan, withSaid } from "./goal-plan.ts";
import type { Ticket } from "./in-flight.ts";
import { intercepts, runawayIn } from "./watching.ts";

import type { StoredState } from "./find-stored.ts";
import type { IdentifiedRequest } from "./read-request.ts";

/** What becomes of a request, and what its answer is watched for: it was read not at all, from its end alone, or whole. */
export type Decided = Unread | ContinuedThread | JudgedWhole;

/** Not understood, or the guard itself failed: it passes unguarded. */
export interface Unread {
  readonly kind: "unread";
  readonly action: RequestAction;
}

/** The fast path: it only goes on where the one before it in its thread ended, and is healthy. */
export interface ContinuedThread {
  readonly kind: "continuation";
  /** As rules and rollout have chosen it. */
  readonly context: ExchangeContext;
  readonly action: RequestAction;
  readonly turn: NextTurn;
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  readonly ticket: Ticket;
}

/** Its whole history was joined with what the stores know. */
export interface JudgedWhole {
  readonly kind: "judged";
  /** As rules and rollout have chosen it. */
  readonly context: ExchangeContext;
  readonly action: RequestAction;
  readonly found: StoredLedger;
  readonly considered: JudgedRequest;
  readonly evaluation: EvaluationContext;
  /** It asks for a compaction, which is no turn of the run. */
  readonly compacts: boolean;
  /** As a continuation it could not be kept: others have served its thread. */
  readonly servedElsewhere: boolean;
  /** Undefined where nothing is planned, or the plan could not be read. */
  readonly planned: GoalPlan | undefined;
  /** Undefined where its answer cannot complete a loop. */
  readonly lookahead: Lookahead | undefined;
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  /** The body to send for the one that was read, edited or not: with all that was left out of it. */
  readonly whole: AbridgedBody["whole"];
  /** Undefined where nobody asks what its answer used. */
  readonly usageMeter: UsageMeter | undefined;
  readonly ticket: Ticket;
  /** An operator has ended the session. */
  readonly contained: Containment | undefined;
  /**
   * The guard answers a run itself that is not known: no upstream has looked at its key, so that it may be a stranger's.
   * Nothing is lost without a record: the history that led to the answer comes again with the next request.
   */
  readonly isUnchecked: boolean;
  /** Operators are told of it, in journal and directory. */
  readonly isTold: boolean;
  /** When it came; Unix time, seconds. */
  readonly at: number;
  /** Undefined if they could not be read. */
  readonly totals: Totals | undefined;
  /** Under which its answer is counted; undefined if that cannot be told. */
  readonly budgetKey: (answer: Answer | undefined) => SessionKey | undefined;
}

/** @param kept undefined when the store fails: then the request's own history is judged alone */
export function decideRequest(
  arrived: IdentifiedRequest,
  kept: StoredState | undefined,
  context: ExchangeContext,
): JudgedWhole {
  const asked =
    kept === undefined || kept.request === arrived.request ? arrived : continuingRequest(arrived, kept, context);
  const { body, request, named } = asked;
  const found = kept?.thread ?? noStoredLedger;
  const at = context.now();
  const identity = kept?.identity ?? named;
  const isAlone = context.inFlight.isAlone(identity.thread);
  const ahead = goalPlan(request.conversation, identity, kept?.plan, context);
  const evaluation = {
    ...evaluationFor(asked, kept, { at, isAlone }, context),
    ...(ahead?.goalChange && { goalChange: ahead.goalChange }),
    compacts: asked.compacts,
    opinion: context.policy.secondOpinion && context.judgeState.opinionOf(identity.thread),
  };
  const judged = withSaid(follow(found.ledger, request.conversation, evaluation), context.judgeState);
  const followed = asked.compacts ? { ...judged, now: undefined, news: undefined, earlier: [] } : judged;
  const considered = { body, request, identity, followed, degraded: kept === undefined || !context.takesWrites() };
  const planned = actionFor(considered, context);
  // What goes on from an answer that the upstream does not know says so in other words.
  const isRenamed = planned.kind === "forward" && planned.body === undefined && body !== arrived.body;
  const action = isRenamed ? { ...planned, body } : planned;
  const asks = action.kind === "forward";
  const isUnchecked = !asks && found.ledger === undefined && found.version === 0;
  const lookahead =
    asks && !asked.compacts && intercepts(request, context)
      ? lookaheadFor(followed, request.conversation, evaluation)
      : undefined;
  return {
    kind: "judged",
    context,
    contained: undefined,
    action,
    found,
    compacts: asked.compacts,
    considered,
    evaluation,
    servedElsewhere: false,
    planned: ahead,
    isUnchecked,
    isTold: !isUnchecked || context.strangers.admit(),
    at,
    totals: kept?.totals,
    lookahead,
    whole: arrived.whole,
    runaway: asks ? runawayIn(request, context) : undefined,
    usageMeter: usageMeterFor(request, context.policy),
    budgetKey: (answer) => budgetKeyAfter(answer, asked, kept, context),
    // Last, since whoever begins must be sure to end.
    ticket: context.inFlight.begin(identity.thread),
  };
}

function continuingRequest(
  asked: IdentifiedRequest,
  { request }: StoredState,
  { protocol }: ExchangeContext,
): IdentifiedRequest {
  return { ...asked, request, body: protocol.rewrite(request, []) };
}

function evaluationFor(
  { metadata, request, named }: IdentifiedRequest,
  kept: StoredState | undefined,
  { at, isAlone }: { readonly at: number; readonly isAlone: boolean },
  { sign, policy }: ExchangeContext,
): EvaluationContext {
  // A popular question after the same examples is no retry.
  const isTold = watchesRetries(policy) && isOfOneRun(kept?.identity ?? named, request.conversation);
  const arrival = isTold ? arrivalOf(metadata, request.samplingKey, at, sign) : undefined;
  const evaluation = { sign, policy, ...(arrival && { arrival: { ...arrival, counts: arrival.counts && isAlone } }) };
  if (kept === undefined) return evaluation;
  const { thread, totals, identity, first: relayed } = kept;
  // Runs that begin alike have one derived name: what they have used up together is not held against any of them.
  const told = relayed === undefined ? evaluation : { ...evaluation, relayed };
  if (!identity.isCertain) return told;
  const spent = spentIn(totals, policy, at);
  return { ...told, elsewhere: spentElsewhere(totals.steps ?? 0, thread), ...(spent && { spent }) };
}

/** A run that nobody names is named after its first answer. */
function budgetKeyAfter(
  answer: Answer | undefined,
  { request, metadata, named }: IdentifiedRequest,
  kept: StoredState | undefined,
  { sign }: ExchangeContext,
): SessionKey | undefined {
  if (kept?.budgetKey !== undefined) return kept.budgetKey;
  if (named.isGiven || request.conversation.steps.length > 0) return named.key;
  return answer && identify(metadata, { ...request.conversation, steps: [answer.step] }, sign).key;
}
