import { detectorsThatNeed } from "../../engine/engine.ts";
import { limitedKinds } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import {
  callsHash,
  type MergeResult,
  type JournalEvent,
  ledgerReach,
  type RelayedAnswer,
  relayedAnswer,
  saveAliases,
  saveLedger,
  savePromptRun,
  startOf,
  taskAt,
  withAnswered,
} from "../../session/session.ts";
import type { Step } from "../../step.ts";
import type { Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import { type ExchangeOutcome, isRefused, type ShownAnswer } from "../outcome.ts";
import { limitsUsage } from "../usage-meter.ts";
import type { IncomingRequest } from "../read/incoming-request.ts";
import type { RunUpdate } from "../run-update.ts";
import type { WholeHistory } from "../whole-history.ts";
import { cacheThread } from "./cache-thread.ts";
import { appendEntry, cutNote, interventionsOf, reportWarnings } from "./activity.ts";

/**
 * Saves what an exchange has shown: its thread, the aliases of it, what was done and used up. Each write is tried, whatever
 * becomes of the others. Resolves to the number of steps that the stored
 * thread has grown by. Never rejects.
 */
export async function recordExchange(
  whole: WholeHistory,
  update: RunUpdate,
  outcome: ExchangeOutcome,
  incoming: IncomingRequest,
): Promise<number> {
  if (isRefused(outcome) || !whole.isReported) return 0;
  rememberState(outcome, whole);
  const journaled = journalEvents(update, outcome);
  if (whole.isUnverified) {
    await journaled;
    return 0;
  }
  const [added = 0] = await Promise.all([saveThread(whole, outcome, incoming), journaled]);
  await whole.context.inBackground(() => countUp(whole, added, outcome));
  whole.context.log.debug({ session: whole.evaluated.identity.label, steps: added }, "recorded");
  return added;
}

/** Reports what an exchange has led to. Never rejects. */
export async function journalEvents(update: RunUpdate, outcome: ExchangeOutcome): Promise<void> {
  await reportWarnings(update, outcome);
  const events = [...interventionsOf(update, outcome), cutIn(outcome, update)];
  await Promise.all(events.map((event) => event && appendEntry(update, event, outcome)));
}

/** @returns how many steps the thread has grown by; undefined where it could not be saved */
async function saveThread(
  whole: WholeHistory,
  outcome: ExchangeOutcome,
  incoming: IncomingRequest,
): Promise<number | undefined> {
  const { evaluated, stored, terms, compacts, context } = whole;
  const { stores, sign, sessionTtlMs: ttlMs, inBackground } = context;
  const { identity, request } = evaluated;
  const { conversation } = request;
  // What a compaction is answered with is no step: the alias by the step before it still leads here.
  const answer = compacts ? undefined : answeredBy(outcome, whole);
  const relayed = relayedIn(outcome, whole);
  const merged = mergedToSave(whole, outcome);
  const saving = () =>
    saveLedger(stores.sessions, identity, stored, merged, {
      conversation,
      evaluation: terms,
      intercepted: outcome.intervention?.intervention,
      relayed,
      endedBy: endedBy(outcome, whole),
      ttlMs,
    });
  const [added] = await Promise.all([
    inBackground(() => savedIn(saving(), whole)),
    relayed && inBackground(async () => saveRelayed(relayed, outcome, whole)),
    answer && inBackground(() => saveAliases(stores.sessions, identity, { conversation, ...answer }, sign, ttlMs)),
    // Where its first write is refused, the record is read again, which takes the thread out of the cache.
    compacts || relayed ? undefined : cacheThread({ ...whole, evaluated: { ...evaluated, merged } }, outcome, incoming),
  ]);
  return added;
}

async function savedIn(
  saving: Promise<number | undefined>,
  { evaluated, context }: WholeHistory,
): Promise<number | undefined> {
  const added = await saving;
  if (added === undefined) context.log.warn({ session: evaluated.identity.label }, "save-given-up");
  return added;
}

/** Saves a relayed answer, so that the next prompt that quotes it is recognised as part of this run. */
function saveRelayed(
  relayed: RelayedAnswer,
  { answer }: ExchangeOutcome,
  { evaluated: { identity, request }, context: { stores, sign, sessionTtlMs } }: WholeHistory,
): Promise<void> | undefined {
  if (answer === undefined) return undefined;
  const run = { answer: answer.step, relayed, isFirst: request.conversation.steps.length === 0 };
  return savePromptRun(stores.sessions, identity, run, sign, sessionTtlMs);
}

/** Remembers the answer of a run whose prompts show only states: the next request is read together with it. */
function rememberState(
  { answer }: ExchangeOutcome,
  { evaluated: { identity, merged, request }, context: { memory, policy } }: WholeHistory,
): void {
  const { showsState, steps } = request.conversation;
  const step = steps.at(-1);
  if (showsState !== true || step === undefined || answer === undefined || policy.planning === undefined) return;
  memory.answeredStates.note(identity.thread, { at: ledgerReach(merged.tip), step, calls: answer.step.calls });
}

/** The calls of an end, by which it is known where its client carries them out and goes on. */
function endedBy({ own }: ExchangeOutcome, { terms: { sign, policy } }: WholeHistory): string | undefined {
  return own === undefined || own.calls.length === 0 ? undefined : callsHash(own, sign, policy);
}

/** Relayed answer to save. None if the answer was cut off or never came: no later prompt will mention it. */
function relayedIn(outcome: ExchangeOutcome, { evaluated, action, terms }: WholeHistory): RelayedAnswer | undefined {
  const isOwn = action.kind === "answer" || outcome.intervention?.intervention.rung === "short-circuit";
  const step = outcome.answer?.step;
  if (step === undefined && !isOwn) return undefined;
  return relayedAnswer(step, evaluated.request.conversation, terms, evaluated.merged.tip);
}

/** Found by how often a request has come. */
const isStorm = (detector: string | undefined): boolean =>
  detectorsThatNeed("arrivals").some((name) => name === detector);

/** Merge result to save: it tells of the request's arrival where that was answered whole, or here as part of a storm. */
function mergedToSave(
  { ticket, stored, evaluated: { merged }, terms: { arrival, sign }, action }: WholeHistory,
  { answer }: ExchangeOutcome,
): MergeResult {
  const ledger = merged.save ?? stored.ledger;
  const endsStorm = action.kind === "answer" && isStorm(merged.now?.intervention.detector);
  // The ledger may go on beyond this request, and concurrent requests are samples.
  const isLast = ledger !== undefined && ledgerReach(ledger) === merged.tip.total;
  if (!isLast || !ticket.wasAlone() || (answer === undefined && !endsStorm)) return merged;
  const save = withAnswered(ledger, arrival, answer?.step, sign);
  return save === ledger ? merged : { ...merged, save };
}

/** All of it at once, so that nobody ever sees a half. */
async function countUp(whole: WholeHistory, steps: number, { answer }: ExchangeOutcome): Promise<void> {
  const { stores, sessionTtlMs } = whole.context;
  const amounts = amountsFor(whole, steps);
  const key = Object.keys(amounts).length === 0 ? undefined : whole.budgetKey(answer);
  if (key !== undefined) await stores.counters.add(key, amounts, sessionTtlMs);
  const unpriced = whole.usageMeter?.total()?.unpriced;
  if (unpriced !== undefined) warnOnce(unpriced, whole.context);
}

function amountsFor({ usageMeter, totals, at, context: { policy } }: WholeHistory, steps: number): Totals {
  const limited = limitedKinds(policy);
  const billed = limitsUsage(policy) ? usageMeter?.total() : undefined;
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = billed ?? {};
  return {
    ...(steps > 0 && limited.size > 0 ? { steps } : {}),
    ...(billed === undefined ? {} : { inputTokens, outputTokens, cost }),
    // Where the totals could not be read, nobody knows whether this was the first.
    ...(limited.has("seconds") && totals !== undefined ? startOf(totals, at) : {}),
  };
}

/** Names that are remembered at most: clients choose them. */
const MAX_UNPRICED = 100;

/** The cost of such a model stays unknown, and with it whether the budget holds. */
function warnOnce(model: string, { memory: { unpriced }, log }: RequestContext): void {
  const name = model.slice(0, 100).toWellFormed();
  if (unpriced.has(name) || unpriced.size >= MAX_UNPRICED) return;
  unpriced.add(name);
  log.warn({ model: name }, "model-without-price");
}

/** The journal's entry of an answer that was cut off; it would have been the thread's next step. */
function cutIn({ runaway }: ExchangeOutcome, { tip }: RunUpdate): JournalEvent | undefined {
  if (runaway === undefined) return undefined;
  const note = cutNote(runaway);
  return { rung: "cut", detector: "runaway-output", count: runaway.laps, at: tip.total, tools: [], note };
}

/** The answer as its thread is found again by it: by its id only where the next request may name that in place of its history. */
function answeredBy(
  { answer, shown }: ExchangeOutcome,
  { evaluated: { request }, budgetKey, context: { protocol } }: WholeHistory,
) {
  const seen = shown ?? answer;
  if (seen === undefined) return undefined;
  const { conversation, previousAnswerId, unknownCallId, keptUnder, standIn: mayRefer } = request;
  const { steps } = conversation;
  const carriesAll = steps.length > 0 && previousAnswerId === undefined;
  const isStored = protocol.refersToAnswers && request.field(["store"]) !== false;
  const isNamed = isStored && !carriesAll;
  // What the upstream keeps the next request may refer to item by item: a first one does not show whether it will.
  const isReferred = isStored && mayRefer && !previousAnswerId && (steps.length === 0 || unknownCallId !== undefined);
  const { id, step } = seen;
  const task = taskAt(conversation, steps.length);
  const standIn = shown && substituteItems(shown, request);
  return {
    answer: { id: isNamed ? id : undefined, step },
    key: budgetKey(answer),
    task,
    standIn,
    keptUnder,
    ...(isReferred && { referred: steps.map(withoutOutcomes) }),
  };
}

function withoutOutcomes({ calls, text }: Step): Pick<Step, "calls" | "text"> {
  return { calls: calls.map(({ outcome: _, ...call }) => call), text };
}

function substituteItems({ upstream, isOwn, step }: ShownAnswer, { standIn }: ParsedRequest) {
  const { id: answerId, unanswered } = upstream;
  if (answerId === undefined || standIn === undefined) return undefined;
  return { answerId, items: standIn(unanswered, isOwn ? step : undefined) };
}
