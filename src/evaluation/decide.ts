import type { Containment } from "../activity/activity.ts";
import { askForAdvice, heeding, withJudgeTexts } from "../judge/judge.ts";
import { type RunawayTerms, watchesRetries } from "../policy/policy.ts";
import type { Answer } from "../protocols/protocols.ts";
import {
  type EvaluationContext,
  identify,
  type Identity,
  isNearRung,
  isOfOneRun,
  type Lookahead,
  mergeHistory,
  type MergeResult,
  plainOf,
  type StoredLedger,
  usageElsewhere,
  usageIn,
} from "../session/session.ts";
import type { SessionKey } from "../store/store.ts";
import { turn } from "../turns.ts";
import { actionFor, lookaheadOn, modelRefused, type RequestAction, unguarded, unreadAction } from "./act/action.ts";
import { containedAnswer } from "./act/interventions.ts";
import type { RequestContext, Ticket } from "./context.ts";
import type { HowRead } from "./meter.ts";
import { containedVerdict } from "./outcome.ts";
import { type Load, type LoadedRun, loadNothing, runOfPrefix, unknownRun } from "./load/load-state.ts";
import { boundedBody } from "./read/bounded-body.ts";
import { type IncomingRequest, isFirstAttempt, mayAskAll } from "./read/incoming-request.ts";
import { metadataOf, readAddition, type ReadRequest, readAll } from "./read/read-request.ts";
import { type UsageMeter, usageMeterFor } from "./usage-meter.ts";

/** Turn: what is decided about one request, without any transport. */
export type Turn = Evaluation | Unread;

/** A request that was not understood, or that rules leave alone: it passes, or is refused, and nothing is recorded of it. */
export interface Unread extends Pick<Evaluation, "context" | "action"> {
  readonly read: "unread";
  readonly run: undefined;
  /** There was more in it than may be read. */
  readonly why?: "size" | undefined;
}

/** A request that was joined with what is known of its run. */
export interface Evaluation extends LoadedRun {
  /** After rules and rollout, which depend on model and session. */
  readonly context: RequestContext;
  readonly read: Exclude<HowRead, "unread">;
  readonly action: RequestAction;
  readonly terms: EvaluationContext;
  readonly merged: MergeResult;
  /** The operator's order by which it is answered; undefined where there is none. */
  readonly containment: Containment | undefined;
  /** Undefined where its answer cannot complete a loop. */
  readonly lookahead: Lookahead | undefined;
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  readonly usageMeter: UsageMeter | undefined;
  /** When it came; Unix time, seconds. */
  readonly at: number;
  /**
   * The guard answers a run itself that is not known: no upstream has looked at its key, so that it may be a stranger's.
   * Nothing is lost without a record: the history that led to the answer comes again with the next request.
   */
  readonly isUnverified: boolean;
  /** Operators are told of it, in journal and directory. */
  readonly isReported: boolean;
  readonly ticket: Ticket;
  /** What its thread has grown by, once it is being saved. */
  readonly saved: { steps?: Promise<number | undefined> };
}

export function unreadTurn(context: RequestContext, action: RequestAction, why?: "size"): Unread {
  return { context, action, read: "unread", run: undefined, why };
}

/** There is more in the request than may be read. */
export function unreadForSize(context: RequestContext): Unread {
  return unreadTurn(context, unreadAction(context, "size"), "size");
}

/**
 * Decides on a request that only adds to what is known of its thread. Undefined for every other, and where something is to be done,
 * or its answer to be watched: that takes all of it.
 */
export function decideOnAddition(incoming: IncomingRequest, treatment: RequestContext): Evaluation | undefined {
  const request = readAddition(incoming, treatment);
  if (request?.base === undefined || !mayAskAll(request.models, treatment)) return undefined;
  const { base, added: steps } = request;
  const { identity, policy, ledger, tip } = base;
  const context = treatment.bind(base.model, identity.key);
  const isContained = context.containments.of(identity.key) !== undefined;
  if (policy !== context.policy || context.mode === "off" || isContained) return undefined;
  const run = runOfPrefix(base);
  const terms = termsFor({ request, run }, context.now(), context);
  const merged = mergeHistory(ledger, { system: "", opening: [], steps }, terms, tip);
  const { save } = merged;
  const isQuiet = merged.tip.interventions.length === 0 && save !== undefined && plainOf(save) !== undefined;
  if (!isQuiet || isNearRung(merged.tip, policy) || request.work.isSpent()) return undefined;
  return decide({ request, run }, merged, terms, context);
}

/** Others have their turn between reading and judging a longer one. In characters. */
const LONG_BODY = 1024 * 1024;

/** Reads a request whole, joins it with what is stored, and decides on it. Where the store fails, its own history is judged alone. */
export async function decideOnWhole(incoming: IncomingRequest, treatment: RequestContext, load: Load): Promise<Turn> {
  const bounded = await boundedBody(incoming.bytes);
  const body = bounded === "size" ? undefined : bounded;
  const { works } = treatment.meter;
  works?.("parse", body?.text.length ?? 0);
  const request = body && readAll(incoming, body, treatment);
  if (!mayAskAll(request?.models, treatment)) return unreadTurn(treatment, modelRefused(treatment.protocol));
  if (bounded === "size") return unreadForSize(treatment);
  if (request === undefined) return unreadTurn(treatment, unreadAction(treatment));
  const { model } = request;
  const ofModel = treatment.bind(model);
  if (ofModel.mode === "off") return unreadTurn(ofModel, unguarded);
  // A history that is judged alone is no session's.
  if (request.work.isSpent())
    return endedOrUnread(request, ofModel, load === loadNothing ? undefined : request.named.key);
  const known = await ofModel.inBackground(() => load(request, ofModel));
  const loaded = known ?? { request, run: unknownRun(request) };
  const { run } = loaded;
  const context = run.isFollowed ? treatment.bind(model, run.budgetKey ?? run.identity.key) : ofModel;
  const advised = await context.inBackground(() => advisedInTime(loaded, context));
  if (body !== undefined && body.text.length > LONG_BODY) await turn();
  works?.("judge", body?.text.length ?? 0);
  const { conversation } = loaded.request.whole();
  const heed = heeding(conversation, context.policy, context.mode === "enforce");
  const { compacts } = request;
  const terms = { compacts, ...termsFor(loaded, context.now(), context), ...(!compacts && { heed }) };
  const stored = advised ?? run.stored;
  const merged = withJudgeTexts(mergeHistory(stored.ledger, conversation, terms), context.judgeState);
  // Half a reading is none: nothing is done by it, and nothing kept.
  if (request.work.isSpent()) return endedOrUnread(loaded.request, context, ...keysOf({ ...loaded, context }));
  const quiet = compacts ? { ...merged, now: undefined, news: undefined, earlier: [] } : merged;
  const evaluation = decide({ ...loaded, run: { ...run, stored } }, quiet, terms, context);
  return { ...evaluation, action: rewrittenForUpstream(evaluation, request) };
}

/** Of a request that was read by half, the operator's order for its session holds all the same. */
function endedOrUnread(
  request: ReadRequest,
  context: RequestContext,
  ...keys: readonly (SessionKey | undefined)[]
): Unread {
  const order = context.containments.of(...keys);
  if (order === undefined) return unreadForSize(context);
  const verdict = containedVerdict(unguarded.verdict);
  return unreadTurn(context, { kind: "answer", ...containedAnswer(request.whole(), order, context), verdict }, "size");
}

/** The sessions whose orders a request follows. */
function keysOf(named: Named): readonly (SessionKey | undefined)[] {
  return named.run.isFollowed ? [named.run.identity.key, keyAfter(named, undefined)] : [];
}

/** The thread once its judge has spoken, where the policy waits for that and it comes in time. @throws whatever the stores throw */
async function advisedInTime({ request, run }: LoadedRun, context: RequestContext): Promise<StoredLedger | undefined> {
  const within = context.policy.judge?.wait;
  const { identity, stored, totals } = run;
  if (within === undefined || totals === undefined || context.mode !== "enforce" || request.compacts) return undefined;
  const { conversation } = request.whole();
  const { tip } = mergeHistory(stored.ledger, conversation, termsFor({ request, run }, context.now(), context));
  const budgetKey = keyAfter({ request, run, context }, undefined);
  const asked = { tip, stored, conversation, identity, totals, budgetKey, isNearRung: false, within };
  return askForAdvice(asked, context);
}

function decide(loaded: LoadedRun, merged: MergeResult, terms: EvaluationContext, context: RequestContext): Evaluation {
  const { request, run } = loaded;
  const { identity, stored, totals } = run;
  const { memory, containments, policy, now } = context;
  const isOnAddition = request.base !== undefined;
  const degraded = totals === undefined || (!isOnAddition && !context.takesWrites());
  const planned = actionFor(loaded, merged, context, degraded);
  const containment = containments.of(...keysOf({ ...loaded, context }));
  const ended = containment && containedAnswer(request.whole(), containment, context);
  const action: RequestAction = ended
    ? { kind: "answer", ...ended, verdict: containedVerdict(planned.verdict) }
    : planned;
  const isForwarded = action.kind === "forward";
  const isWatched = isForwarded && !request.compacts && !isOnAddition;
  const lookahead = isWatched ? lookaheadOn(merged, identity, request.whole(), terms, context) : undefined;
  const isUnverified = planned.kind === "answer" && stored.ledger === undefined && stored.version === 0;
  const isCut = isForwarded && request.streams && !request.asksForRepetition;
  return {
    ...{ context, request, run, terms, merged, action, containment, lookahead, isUnverified },
    read: isOnAddition ? "tail" : request.isPartial || merged.isPartial ? "partly" : "whole",
    isReported: !isUnverified || memory.unverified.admit(),
    at: now(),
    saved: {},
    runaway: isCut && policy.runaway !== "off" ? policy.runaway : undefined,
    usageMeter: usageMeterFor(request, policy, lookahead !== undefined),
    // Last, since whoever begins must be sure to end.
    ticket: memory.inFlight.begin(identity.thread),
  };
}

/** A request that continues one of the guard's own answers is rewritten, because the upstream has never seen that answer. */
function rewrittenForUpstream({ action, request }: Evaluation, arrived: ReadRequest): RequestAction {
  const isAsItCame = action.kind === "forward" && action.change === undefined;
  const body = request.text();
  return isAsItCame && body !== arrived.text() ? { ...action, change: { body, forms: [] } } : action;
}

function termsFor({ request, run }: LoadedRun, at: number, { sign, policy }: RequestContext): EvaluationContext {
  const { stored, totals, identity, first, goesOnAt } = run;
  // A popular question after the same examples is no retry.
  const isOwn = watchesRetries(policy) && isOfOneRun(identity, request.added);
  const isCounted = isOwn && isFirstAttempt(request.incoming.metadata.header);
  const terms = {
    sign,
    policy,
    ...(isCounted && { arrival: { at, terms: request.terms } }),
    work: request.work,
    ...(first && { open: first }),
    ...(goesOnAt !== undefined && { goesOnAt }),
  };
  // Runs that begin alike have one derived name: what they have used up together is not held against any of them.
  if (totals === undefined || !identity.isCertain) return terms;
  const usage = usageIn(totals, policy, at);
  return { ...terms, elsewhere: usageElsewhere(totals.steps ?? 0, stored), ...(usage && { usage }) };
}

type Named = Pick<Evaluation, "request" | "run" | "context">;

/** Session that the answer is counted under; undefined if it is unknown. */
export function keyAfter(named: Named, answer: Answer | undefined): SessionKey | undefined {
  return named.run.budgetKey ?? identityAfter(named, answer)?.key;
}

/** Identity of the run once it is answered: one that nobody names is named after its first answer, and keeps the id that its first request was given. Undefined where only an answer would tell it. */
export function identityAfter({ request, run, context }: Named, answer: Answer | undefined): Identity | undefined {
  const { named, base, added, incoming } = request;
  if (base !== undefined || named.isGiven || added.length > 0) return run.identity;
  if (answer === undefined) return undefined;
  const { session, label } = named;
  const whole = request.whole();
  const conversation = { ...whole.conversation, steps: [answer.step] };
  return { ...identify(metadataOf(incoming, whole), conversation, context.sign), session, label };
}
