import type { Containment } from "../activity/activity.ts";
import { type RunawayTerms, watchesRetries } from "../policy/policy.ts";
import type { Answer, ParsedRequest } from "../protocols/protocols.ts";
import {
  type EvaluationContext,
  type Identity,
  mergeHistory,
  type MergeResult,
  identify,
  isOfOneRun,
  type Lookahead,
  lookaheadFor,
  noStoredLedger,
  termsSignature,
  usageElsewhere,
  usageIn,
  type StoredLedger,
} from "../session/session.ts";
import type { Step } from "../step.ts";
import type { SessionKey, Totals } from "../store/store.ts";
import {
  actionFor,
  type EvaluatedRequest,
  modelRefused,
  type RequestAction,
  unguarded,
  unreadAction,
} from "./act/action.ts";
import { containedAction } from "./act/containment.ts";
import { afterForceDone, intercepts, runawayIn } from "./act/answer-watch.ts";
import type { RequestContext } from "./context.ts";
import type { Ticket } from "./in-flight.ts";
import { type JudgeAdvice, type AdvisedRun, adviceOn } from "./judge/advice.ts";
import { loadState, type StoredState } from "./load/load-state.ts";
import { type AbridgedBody, abridgedBody } from "./read/abridged-body.ts";
import { type IncomingRequest, isFirstAttempt } from "./read/incoming-request.ts";
import { mayAskAll, modelsAsked } from "./read/models-asked.ts";
import { type IdentifiedRequest, readRequest } from "./read/read-request.ts";
import { turn } from "../turns.ts";
import { type UsageMeter, usageMeterFor } from "./usage-meter.ts";

/** A request whose whole history was joined with what the stores know. */
export interface WholeHistory {
  /** Context after rules and rollout. */
  readonly context: RequestContext;
  readonly action: RequestAction;
  /** The operator's order by which it is answered; undefined where there is none. */
  readonly containment: Containment | undefined;
  readonly stored: StoredLedger;
  readonly evaluated: EvaluatedRequest;
  readonly terms: EvaluationContext;
  /** Whether the request asks for a compaction, which is not a turn of the run. */
  readonly compacts: boolean;
  readonly advice: JudgeAdvice;
  /** Undefined where its answer cannot complete a loop. */
  readonly lookahead: Lookahead | undefined;
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  /** The body to send for the one that was read, edited or not: with all that was left out of it. */
  readonly restore: AbridgedBody["restore"];
  /** Undefined where nobody asks what its answer used. */
  readonly usageMeter: UsageMeter | undefined;
  readonly ticket: Ticket;
  /**
   * The guard answers a run itself that is not known: no upstream has looked at its key, so that it may be a stranger's.
   * Nothing is lost without a record: the history that led to the answer comes again with the next request.
   */
  readonly isUnverified: boolean;
  /** Operators are told of it, in journal and directory. */
  readonly isReported: boolean;
  /** When it came; Unix time, seconds. */
  readonly at: number;
  /** Undefined if they could not be read. */
  readonly totals: Totals | undefined;
  /** Session that the answer is counted under; undefined if it is unknown. */
  readonly budgetKey: (answer: Answer | undefined) => SessionKey | undefined;
  /** Identity of the run once it is answered; undefined where only an answer would tell it. */
  readonly identityAfter: (answer: Answer | undefined) => Identity | undefined;
}

/** A request that was not understood, or that rules leave alone. */
export interface UnreadRequest {
  readonly context: RequestContext;
  readonly action: RequestAction;
  readonly stored: undefined;
}

/** Loads what is stored of a request's run. @throws whatever the stores throw */
export type Load = (identified: IdentifiedRequest, context: RequestContext) => Promise<StoredState>;

/**
 * Reads a request whole, joins it with what is stored, and decides on it. Where the store fails, its own history is judged alone.
 */
export async function judgeWhole(
  incoming: IncomingRequest,
  context: RequestContext,
  load: Load = loadState,
): Promise<WholeHistory | UnreadRequest> {
  const body = await abridgedBody(incoming.bytes);
  context.meter.works?.("parse", body?.text.length ?? 0);
  const identified = body && readRequest(incoming, body, context);
  if (!mayAskAll(identified && modelsAsked(identified.request), context))
    return { context, action: modelRefused(context.protocol), stored: undefined };
  if (identified === undefined) return { context, action: unreadAction(context), stored: undefined };
  const model = identified.request.model ?? "";
  const ofModel = context.bind(model);
  if (ofModel.mode === "off") return { context: ofModel, action: unguarded, stored: undefined };
  const state = await ofModel.inBackground(() => load(identified, ofModel));
  const ofSession = context.bind(model, state?.budgetKey ?? (state?.identity ?? identified.named).key);
  const loaded: KnownRequest = { state, ...continuing(identified, state, ofSession) };
  const advice = await adviceOn(runOf(loaded, ofSession), ofSession);
  if (identified.body.length > LONG_BODY) await turn();
  context.meter.works?.("judge", identified.body.length);
  return decideOn(loaded, advice, identified.body, ofSession);
}

/** Others have their turn between reading and judging a longer one. In characters. */
const LONG_BODY = 1024 * 1024;

/** A request with what the stores know of it. */
interface KnownRequest extends IdentifiedRequest {
  /** Undefined when the store fails: then the request's own history is judged alone. */
  readonly state: StoredState | undefined;
}

function runOf(loaded: KnownRequest, context: RequestContext): AdvisedRun {
  const { request, named, state, compacts } = loaded;
  const { identity = named, totals = {} } = state ?? {};
  const planned = state?.isFollowed === true && context.policy.planning !== undefined ? state.thread : undefined;
  return {
    ...{ conversation: request.conversation, identity, planned, totals, compacts },
    budgetKey: budgetKeyAfter(undefined, loaded, context),
  };
}

/** @param arrived the body as it came */
function decideOn(loaded: KnownRequest, advice: JudgeAdvice, arrived: string, context: RequestContext): WholeHistory {
  const { body, request, named, state, compacts } = loaded;
  const known = state?.thread ?? noStoredLedger;
  const stored = advice.stored ?? known;
  const { memory } = context;
  const at = context.now();
  const identity = state?.identity ?? named;
  const terms = { compacts, ...advice.terms, ...termsFor(loaded, at, context) };
  const merge = advice.worded(mergeHistory(stored.ledger, request.conversation, terms));
  const merged = compacts ? { ...merge, now: undefined, news: undefined, earlier: [] } : merge;
  const isPartial = loaded.isPartial || merged.isPartial;
  const degraded = state === undefined || !context.takesWrites();
  const evaluated = { body, request, identity, merged, isPartial, degraded };
  const planned = actionFor(evaluated, context);
  const budgetKey = (answer: Answer | undefined) => budgetKeyAfter(answer, loaded, context);
  const containment = context.containments.of(identity.key, budgetKey(undefined));
  const action =
    containment === undefined
      ? inOtherWords(planned, body, arrived)
      : containedAction(request, planned.verdict, containment, context);
  const isForwarded = action.kind === "forward";
  const isUnverified = planned.kind === "answer" && known.ledger === undefined && known.version === 0;
  const watches = isForwarded && !compacts && intercepts(request, context);
  const newest = request.conversation.steps.at(-1);
  const keepsOne = memory.parallelAnswers.keepsOne(identity.thread, merged.tip.total, newest);
  const lookahead = watches ? lookaheadOn(merged, request, terms, keepsOne) : undefined;
  return {
    context,
    action,
    containment,
    stored,
    evaluated,
    terms,
    compacts,
    advice,
    isUnverified,
    isReported: !isUnverified || memory.unverified.admit(),
    at,
    totals: state?.totals,
    lookahead,
    restore: loaded.restore,
    runaway: isForwarded ? runawayIn(request, context) : undefined,
    usageMeter: usageMeterFor(request, context.policy, lookahead !== undefined),
    budgetKey,
    identityAfter: (answer) => identityAfter(answer, loaded, context),
    // Last, since whoever begins must be sure to end.
    ticket: memory.inFlight.begin(identity.thread),
  };
}

/** @param keepsOne the client drops all of an answer's calls but one: whichever that is, it may complete the loop */
function lookaheadOn(
  merged: MergeResult,
  request: ParsedRequest,
  terms: EvaluationContext,
  keepsOne: boolean,
): Lookahead | undefined {
  const ahead = lookaheadFor(merged, request.conversation, terms);
  const lookahead = afterForceDone(merged.now, request, terms.policy, ahead);
  if (lookahead === undefined) return undefined;
  const predict = (step: Step) => lookahead.predict(request.answered(step));
  if (!keepsOne) return { ...lookahead, predict };
  const alone = (step: Step) => step.calls.map((call) => predict({ ...step, calls: [call] }));
  return { tools: undefined, predict: (step) => predict(step) ?? alone(step).find((one) => one !== undefined) };
}

/** A request that continues one of the guard's own answers is rewritten, because the upstream has never seen that answer. */
function inOtherWords(action: RequestAction, body: string, arrived: string): RequestAction {
  const isAsItCame = action.kind === "forward" && action.change === undefined;
  return isAsItCame && body !== arrived ? { ...action, change: { body } } : action;
}

/** A request that goes on from an answer carries the turn that it goes on from. */
function continuing(
  identified: IdentifiedRequest,
  state: StoredState | undefined,
  { protocol }: RequestContext,
): IdentifiedRequest {
  const { request = identified.request } = state ?? {};
  if (request === identified.request) return identified;
  return { ...identified, request, body: protocol.rewrite(request, []) };
}

function termsFor(
  { metadata, request, named, state }: KnownRequest,
  at: number,
  { sign, policy }: RequestContext,
): EvaluationContext {
  // A popular question after the same examples is no retry.
  const isOwn = watchesRetries(policy) && isOfOneRun(state?.identity ?? named, request.conversation);
  const terms = {
    sign,
    policy,
    ...(isOwn &&
      isFirstAttempt(metadata.header) && { arrival: { at, terms: termsSignature(request.samplingKey, sign) } }),
  };
  if (state === undefined) return terms;
  const { thread, totals, identity, first: relayed } = state;
  const withRelayed = relayed === undefined ? terms : { ...terms, relayed };
  // Runs that begin alike have one derived name: what they have used up together is not held against any of them.
  if (!identity.isCertain) return withRelayed;
  const usage = usageIn(totals, policy, at);
  return { ...withRelayed, elsewhere: usageElsewhere(totals.steps ?? 0, thread), ...(usage && { usage }) };
}

function budgetKeyAfter(
  answer: Answer | undefined,
  known: KnownRequest,
  context: RequestContext,
): SessionKey | undefined {
  return known.state?.budgetKey ?? identityAfter(answer, known, context)?.key;
}

/** A run that nobody names is named after its first answer; it keeps the id that its first request was given. */
function identityAfter(
  answer: Answer | undefined,
  { request: { conversation }, metadata, named, state }: KnownRequest,
  { sign }: RequestContext,
): Identity | undefined {
  if (named.isGiven || conversation.steps.length > 0) return state?.identity ?? named;
  if (answer === undefined) return undefined;
  const { session, label } = named;
  return { ...identify(metadata, { ...conversation, steps: [answer.step] }, sign), session, label };
}
