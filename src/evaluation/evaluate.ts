import type { Containment } from "../activity/activity.ts";
import { askForAdvice, heeding, type SendUpstream, withJudgeTexts } from "../judge/judge.ts";
import { type RunawayTerms, watchesRetries } from "../policy/policy.ts";
import {
  type EvaluationContext,
  identify,
  isNearRung,
  isOfOneRun,
  type Ledger,
  ledgerReach,
  type Lookahead,
  mergeHistory,
  mergeInPieces,
  type MergeResult,
  plainOf,
  type StoredLedger,
  usageIn,
} from "../session/session.ts";
import type { SessionKey, Totals } from "../store/store.ts";
import { utf8Text } from "../text/bytes.ts";
import { requestWork, type Work } from "../work.ts";
import { inTurns, turn } from "../turns.ts";
import {
  actionFor,
  lookaheadOn,
  modelRefused,
  type RequestAction,
  sessionRefused,
  unguarded,
  unreadAction,
} from "./act/action.ts";
import { containedAnswer } from "./act/interventions.ts";
import { optionally } from "./background.ts";
import type { RequestContext, Ticket } from "./context.ts";
import {
  keyAfter,
  keysOf,
  type Load,
  type LoadedRun,
  loadNothing,
  loadRun,
  type Named,
  type Run,
  unknownRun,
} from "./load/load-state.ts";
import { type HowRead, type UsageMeter, usageMeterFor } from "./meter.ts";
import { containedVerdict } from "./outcome.ts";
import { boundedBody, READ_BUDGET } from "./read/bounded-body.ts";
import {
  type HeaderMetadata,
  type IncomingRequest,
  incomingRequest,
  isFirstAttempt,
  mayAskAll,
  modelsAsked,
  readAddition,
  readAll,
  type ReadRequest,
  type ReceivedRequest,
} from "./read/read-request.ts";

/** Turn: what is decided about one request, without any transport. */
export type Turn = Evaluation | Unread;

/** A request that was not understood, or that rules leave alone: it passes, or is refused, and nothing is recorded of it. */
export interface Unread extends Pick<Evaluation, "context" | "action"> {
  readonly read: "unread";
  readonly run: undefined;
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
  /** Unix time, seconds. */
  readonly at: number;
  /** The guard answers a run itself that is not known: no upstream has looked at its key. Nothing is saved, for its history comes again. */
  readonly isUnverified: boolean;
  readonly isReported: boolean;
  readonly ticket: Ticket;
  /** What its thread has grown by, once it is being saved. */
  readonly saved: { steps?: Promise<number | undefined> };
}

/** Evaluates a request: by what it adds to a thread that is known here, else whole. */
export async function evaluate(
  received: ReceivedRequest,
  treatment: RequestContext,
  load: Load = loadRun,
): Promise<Turn> {
  if (typeof received.bytes === "string") return unguardedTurn(received, treatment);
  const incoming = incomingRequest(received, received.bytes, treatment);
  const work = requestWork();
  const quick = optionally(() => decideOnAddition(incoming, treatment, work), treatment, "turn-failed");
  return quick ?? decideOnWhole(incoming, treatment, load, work);
}

/** Undefined where something is to be done, or its answer to be watched: that takes all of the request. */
function decideOnAddition(incoming: IncomingRequest, treatment: RequestContext, work: Work): Evaluation | undefined {
  const request = readAddition(incoming, treatment, work);
  if (request?.base === undefined || !mayAskAll(request.asked.models, treatment)) return undefined;
  const { base, added: steps } = request;
  const { identity, policy, ledger, tip } = base;
  const context = treatment.bind(base.asked.model, identity.key);
  const isContained = context.containments.of(identity.key) !== undefined;
  if (policy !== context.policy || context.mode === "off" || isContained) return undefined;
  const stored = { ledger, version: undefined };
  const run: Run = { identity, stored, budgetKey: identity.key, totals: {}, isFollowed: true };
  const loaded = { request, run };
  const terms = termsFor(loaded, context);
  const merged = mergeHistory(ledger, { system: "", opening: [], steps }, terms, tip);
  const { save } = merged;
  const isQuiet = merged.tip.interventions.length === 0 && save !== undefined && plainOf(save) !== undefined;
  if (!isQuiet || isNearRung(merged.tip, terms) || request.work.isSpent()) return undefined;
  return decide(loaded, merged, terms, context);
}

/** Where the store fails, the request's own history is judged alone. */
async function decideOnWhole(
  incoming: IncomingRequest,
  treatment: RequestContext,
  load: Load,
  work: Work,
): Promise<Turn> {
  const body = await boundedBody(incoming.bytes);
  const request = typeof body === "object" ? await inTurns(readAll(incoming, body, treatment, work)) : undefined;
  if (!mayAskAll(request?.asked.models, treatment)) return unreadTurn(treatment, modelRefused(treatment.protocol));
  if (typeof body !== "object" || request === undefined)
    return unreadAsNamed(incoming.metadata, treatment, body === "size" || work.isSpent() ? "size" : undefined);
  const ofModel = treatment.bind(request.asked.model);
  if (ofModel.mode === "off") return unreadTurn(ofModel, unguarded);
  // A history that is judged alone is no session's.
  if (request.work.isSpent()) return endedOrUnread(request, ofModel, load === loadNothing ? [] : [request.named.key]);
  const givesWay = async () => work.isDue(body.text.length / 2) && (await turn());
  await givesWay();
  const known = await ofModel.inBackground(() => load(request, ofModel));
  const loaded = known ?? { request, run: unknownRun(request) };
  const { run } = loaded;
  const context = run.isFollowed ? treatment.bind(request.asked.model, run.budgetKey ?? run.identity.key) : ofModel;
  const advised = await context.inBackground(() => advisedInTime(loaded, context));
  await givesWay();
  const { conversation } = loaded.request.whole();
  const { compacts } = request;
  const heed = compacts ? undefined : heeding(conversation, context.policy, context.mode === "enforce");
  const terms = { ...termsFor(loaded, context), heed };
  const stored = advised ?? run.stored;
  const merged = withJudgeTexts(await inTurns(mergeInPieces(stored.ledger, conversation, terms)), context.judgeState);
  await givesWay();
  // Half a reading is none: nothing is done by it, and nothing kept.
  if (request.work.isSpent()) return endedOrUnread(loaded.request, context, keysOf({ ...loaded, context }));
  const quiet = compacts ? { ...merged, now: undefined, news: undefined, earlier: [] } : merged;
  const evaluation = decide({ ...loaded, run: { ...run, stored } }, quiet, terms, context);
  const { action } = evaluation;
  if (action.kind !== "forward" || action.change !== undefined) return evaluation;
  // The upstream has never seen the guard's own answer that a request continues.
  const text = loaded.request.text();
  return text === request.text()
    ? evaluation
    : { ...evaluation, action: { ...action, change: { body: text, forms: [] } } };
}

function decide(loaded: LoadedRun, merged: MergeResult, terms: EvaluationContext, context: RequestContext): Evaluation {
  const { request, run } = loaded;
  const { identity, stored, totals } = run;
  const { memory, containments, policy, now } = context;
  const isOnAddition = request.base !== undefined;
  const degraded = totals === undefined || (!isOnAddition && !context.takesWrites());
  const planned = actionFor(loaded, merged, context, degraded);
  const containment = containments.of(...keysOf({ ...loaded, context }));
  const action = containment ? containedAction(request, containment, context, planned.verdict) : planned;
  const isForwarded = action.kind === "forward";
  const isWatched = isForwarded && !request.compacts && !isOnAddition;
  const lookahead = isWatched ? lookaheadOn(merged, identity, request.whole(), terms, context) : undefined;
  const isUnverified = planned.kind === "answer" && stored.ledger === undefined && stored.version === 0;
  const isCut = isForwarded && request.asked.streams && !request.asked.asksForRepetition;
  return {
    context,
    request,
    run,
    terms,
    merged,
    action,
    containment,
    lookahead,
    isUnverified,
    read: request.isPartial || merged.isPartial ? "partly" : isOnAddition ? "tail" : "whole",
    isReported: !isUnverified || memory.unverified.admit(),
    at: now(),
    saved: {},
    runaway: isCut && policy.runaway !== "off" ? policy.runaway : undefined,
    usageMeter: usageMeterFor(request, policy, lookahead !== undefined),
    // Last, since whoever begins must be sure to end.
    ticket: memory.inFlight.begin(identity.thread),
  };
}

function unreadTurn(context: RequestContext, action: RequestAction, why?: "size"): Unread {
  return { context, action, read: "unread", run: undefined, why };
}

/** Of a request whose body is not read, an order holds for the session that its head names; who is named in the body alone is not known. */
function unreadAsNamed(metadata: HeaderMetadata, context: RequestContext, why?: "size"): Unread {
  const nothing = { system: "", opening: [""], steps: [] };
  const { isGiven, key } = identify({ ...metadata, field: () => undefined }, nothing, context.sign);
  const isEnded = isGiven && context.containments.of(key) !== undefined;
  return unreadTurn(context, isEnded ? sessionRefused(context.protocol) : unreadAction(context, why), why);
}

/** Of a request that was read by half, the operator's order for its session holds all the same. */
function endedOrUnread(request: ReadRequest, context: RequestContext, keys: readonly (SessionKey | undefined)[]) {
  const order = context.containments.of(...keys);
  if (order === undefined) return unreadTurn(context, unreadAction(context, "size"), "size");
  return unreadTurn(context, containedAction(request, order, context, unguarded.verdict), "size");
}

function containedAction(
  request: ReadRequest,
  order: Containment,
  context: RequestContext,
  planned: RequestAction["verdict"],
): RequestAction {
  const verdict = containedVerdict(planned);
  return { kind: "answer", ...containedAnswer(request.whole(), order, context), verdict };
}

/** The turn where the guard itself fails, or has no body to read: the request passes, unless its client key may not ask its models. */
export function unguardedTurn(received: ReceivedRequest, context: RequestContext): Turn {
  const { bytes, metadata } = received;
  if (!mayPass(received, context)) return unreadTurn(context, modelRefused(context.protocol));
  if (typeof bytes !== "string") return unreadTurn(context, unguarded);
  return unreadAsNamed(metadata, context, bytes === "size" ? bytes : undefined);
}

function mayPass({ bytes, target }: ReceivedRequest, context: RequestContext): boolean {
  const { mayAsk, protocol } = context;
  if (mayAsk === undefined || typeof bytes === "string") return mayAsk === undefined;
  const text = bytes.length > READ_BUDGET ? undefined : utf8Text(bytes);
  const request = text && optionally(() => protocol.parse(text, target), context, "guard-failed");
  return mayAskAll(request ? modelsAsked(request) : undefined, context);
}

function termsFor({ request, run }: LoadedRun, { sign, policy, now }: RequestContext): EvaluationContext {
  const { stored, totals, identity, first, goesOnAt } = run;
  const at = now();
  // A popular question after the same examples is no retry.
  const isOwn = watchesRetries(policy) && isOfOneRun(identity, request.added);
  const isCounted = isOwn && isFirstAttempt(request.incoming.metadata.header);
  const arrival = isCounted ? { at, terms: request.asked.terms } : undefined;
  const asked = { compacts: request.compacts, heed: undefined, work: request.work, comparing: undefined };
  const terms = { sign, policy, elsewhere: 0, usage: undefined, arrival, open: first, goesOnAt, ...asked };
  // Runs that begin alike have one derived name: what they have used up together is not held against any of them.
  if (totals === undefined || !identity.isCertain) return terms;
  const elsewhere = Math.max(0, (totals.steps ?? 0) - ledgerReach(stored.ledger));
  return { ...terms, elsewhere, usage: usageIn(totals, policy, at) };
}

/** The thread once its judge has spoken, where the policy waits for that and it comes in time. @throws whatever the stores throw */
async function advisedInTime(loaded: LoadedRun, context: RequestContext): Promise<StoredLedger | undefined> {
  const { request, run } = loaded;
  const within = context.policy.judge?.wait;
  const { stored, totals } = run;
  if (within === undefined || totals === undefined || context.mode !== "enforce" || request.compacts) return undefined;
  const { tip } = mergeHistory(stored.ledger, request.whole().conversation, termsFor(loaded, context));
  return askForAdvice({ ...judgedRun({ ...loaded, context }, tip, totals), within }, context);
}

/** Asks the policy's judge beside the exchange, for a later request to go by. Undefined where there is nothing to ask. Never rejects. */
export function consult(evaluation: Evaluation, send: SendUpstream): Promise<unknown> | undefined {
  const { context, action, containment, run, request, merged } = evaluation;
  const { totals, isFollowed } = run;
  const isAsked = context.policy.judge !== undefined && isFollowed && containment === undefined && !request.compacts;
  if (!isAsked || totals === undefined || action.kind !== "forward") return undefined;
  const upstream = { target: request.incoming.target, send };
  return context.inBackground(() => askForAdvice({ ...judgedRun(evaluation, merged.tip, totals), upstream }, context));
}

function judgedRun(named: Named, tip: Ledger, totals: Totals) {
  const { run, request } = named;
  const { identity, stored } = run;
  const { conversation } = request.whole();
  return { tip, stored, conversation, identity, totals, budgetKey: keyAfter(named, undefined) };
}
