import { limitedKinds } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import {
  callsHash,
  type EventContext,
  type JournalEvent,
  type Followed,
  follow,
  type EvaluationContext,
  containedEntry,
  ledgerReach,
  journalEntry,
  relayedAnswer,
  type RelayedAnswer,
  saveAliases,
  saveLedger,
  saveToldRun,
  startOf,
  taskAt,
} from "../../session/session.ts";
import type { Totals } from "../../store/store.ts";
import { cacheThread } from "./cache-thread.ts";
import { cutNote } from "./cut-note.ts";
import type { ContinuedThread, JudgedWhole } from "../request/decide-request.ts";
import { type NotedActivity, warningsIn } from "./note-activity.ts";
import type { ExchangeOutcome, ShownAnswer } from "../intercept/context.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { ArrivedRequest } from "../request/cache-keys.ts";
import { identityOf } from "../request/contained.ts";
import type { JudgedRequest } from "../request/action.ts";

/** Keeps what an exchange has shown: its thread, the trail to it, what was done and used up. @throws whatever the stores throw. */
export async function recordExchange(
  decided: JudgedWhole,
  went: ExchangeOutcome,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): Promise<void> {
  const { considered, found, evaluation } = decided;
  if (isRefused(went) || !decided.isTold) return;
  const { stores, log, sign, sessionTtlMs: ttlMs } = context;
  const { identity } = considered;
  const { conversation } = considered.request;
  const followed = followedAlone(decided, considered, evaluation);
  const intercepted = went.made?.intervention;
  noteAnswered(went, decided, context);
  const news = [followed.news, intercepted, cutIn(went, considered)];
  const warned = tellWarnings(decided, went, context);
  const journaled = [
    warned,
    ...news.map((event) => event && warned.then(() => tellJournal(event, decided, went, context))),
  ];
  if (decided.isUnchecked) return void (await Promise.all(journaled));
  // What a compaction is answered with is no step: the trail by the step before it still leads here.
  const answer = decided.compacts ? undefined : answeredBy(went, considered.request, context);
  const relayed = relayedIn(went, decided);
  const saving = saveLedger(stores.sessions, identity, found, followed, {
    conversation,
    evaluation,
    intercepted,
    relayed,
    endedBy: endedBy(went, decided),
    ttlMs,
  });
  const [saved] = await Promise.all([
    saving.done,
    relayed && saveTold(relayed, went, decided, context),
    answer && saveAliases(stores.sessions, identity, { ...answer, conversation }, sign, ttlMs),
    // Last, since whatever is asked of a thread's record takes the thread out of the cache.
    decided.compacts || relayed ? undefined : cacheThread(decided, saving.first, went, arrived, context),
    ...journaled,
  ]);
  if (saved === undefined) log.warn({ session: identity.label }, "save-given-up");
  await countUp(decided, saved?.added ?? 0, went, context);
  log.debug({ session: identity.label, steps: saved?.added }, "recorded");
}

/** Owner of all their entries: whoever changes the key has no further share by that. */
const STRANGERS = "strangers";

/** So that the prompt that tells of it is known to be of this run. */
function saveTold(
  relayed: RelayedAnswer,
  { answer }: ExchangeOutcome,
  { considered: { identity, request } }: JudgedWhole,
  { stores, sign, sessionTtlMs }: ExchangeContext,
): Promise<void> | undefined {
  if (answer === undefined) return undefined;
  const told = { answer: answer.step, relayed, isFirst: request.conversation.steps.length === 0 };
  return saveToldRun(stores.sessions, identity, told, sign, sessionTtlMs);
}

/** For a run whose prompts show states alone: what was answered, for the next one to begin with. */
function noteAnswered(
  { answer }: ExchangeOutcome,
  { considered: { identity, followed, request } }: JudgedWhole,
  { answeredStates, policy }: ExchangeContext,
): void {
  const { showsState, steps } = request.conversation;
  const step = steps.at(-1);
  if (showsState !== true || step === undefined || answer === undefined || policy.planning === undefined) return;
  answeredStates.note(identity.thread, { at: ledgerReach(followed.tip), step, calls: answer.step.calls });
}

/** The calls of an end, by which it is known where its client carries them out and goes on. */
function endedBy({ own }: ExchangeOutcome, { evaluation: { sign, policy } }: JudgedWhole): string | undefined {
  return own === undefined || own.calls.length === 0 ? undefined : callsHash(own, sign, policy);
}

/** Of an answer that was cut off, or never came, no prompt tells a step. */
function relayedIn(went: ExchangeOutcome, { considered, action, evaluation }: JudgedWhole): RelayedAnswer | undefined {
  const isOwn = action.kind === "answer" || went.made?.intervention.rung === "short-circuit";
  const step = went.answer?.step;
  if (step === undefined && !isOwn) return undefined;
  return relayedAnswer(step, considered.request.conversation, evaluation, considered.followed.tip);
}

/** Whoever has no valid key is a stranger: nothing of it takes the place of what is kept of others. */
export function isRefused({ status }: ExchangeOutcome): boolean {
  return status === 401 || status === 403;
}

/** Of an exchange that an operator ended only that is kept: its steps are told again by the next request, if one comes. */
export async function recordContained(
  decided: ContinuedThread | JudgedWhole,
  { contained: cut }: ExchangeOutcome,
  context: ExchangeContext,
): Promise<void> {
  const identity = identityOf(decided);
  const contained = decided.kind === "judged" ? decided.contained : undefined;
  const { tenant = identity.tenant } = context.placement;
  const order = contained ?? context.containments.of(identity.key) ?? {};
  const note = cut ? "an open answer was ended" : "a request was answered with the reason";
  const { label, key } = identity;
  const entry = containedEntry({ label, key, tenant }, order, { ...context.stamp(), note });
  await context.stores.journal.append(entry, tenant);
}

/** What turns out to be one of several samples is kept as no repetition of another. */
function followedAlone(
  { ticket, found }: JudgedWhole,
  { followed, request }: JudgedRequest,
  evaluation: EvaluationContext,
): Followed {
  if (evaluation.arrival?.counts !== true || ticket.wasAlone()) return followed;
  return follow(found.ledger, request.conversation, {
    ...evaluation,
    arrival: { ...evaluation.arrival, counts: false },
  });
}

/** All of it at once, so that nobody ever sees a half. */
async function countUp(
  { budgetKey, ...decided }: JudgedWhole,
  steps: number,
  went: ExchangeOutcome,
  context: ExchangeContext,
): Promise<void> {
  const { stores, sessionTtlMs } = context;
  const amounts = amountsFor(decided, steps, context);
  const key = Object.keys(amounts).length === 0 ? undefined : budgetKey(went.answer);
  if (key !== undefined) await stores.counters.add(key, amounts, sessionTtlMs);
  const unpriced = decided.usageMeter?.total()?.unpriced;
  if (unpriced !== undefined) warnOnce(unpriced, context);
}

function amountsFor(
  { usageMeter, totals, at }: Pick<JudgedWhole, "usageMeter" | "totals" | "at">,
  steps: number,
  { policy }: ExchangeContext,
): Totals {
  const limited = limitedKinds(policy);
  const billed = usageMeter?.total();
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
function warnOnce(model: string, { unpriced, log }: ExchangeContext): void {
  const name = model.slice(0, 100).toWellFormed();
  if (unpriced.has(name) || unpriced.size >= MAX_UNPRICED) return;
  unpriced.add(name);
  log.warn({ model: name }, "model-without-price");
}

/** What is told of an answer that was cut off; it would have been the thread's next step. */
function cutIn({ runaway }: ExchangeOutcome, { followed }: JudgedRequest): JournalEvent | undefined {
  if (runaway === undefined) return undefined;
  const note = cutNote(runaway);
  return { rung: "cut", detector: "runaway-output", count: runaway.laps, at: followed.tip.total, tools: [], note };
}

/** Whose the event is. */
interface Journaled extends Pick<JudgedWhole, "budgetKey" | "isUnchecked"> {
  readonly considered: Pick<JudgedRequest, "identity">;
}

function tellJournal(
  event: JournalEvent,
  { considered, budgetKey, isUnchecked }: Journaled,
  went: ExchangeOutcome,
  context: ExchangeContext,
  type: EventContext["type"] = "intervention",
): Promise<void> {
  const { identity } = considered;
  const { stores, stamp, mode, policy, placement } = context;
  const key = budgetKey(went.answer) ?? identity.key;
  const { tenant = identity.tenant, arm } = placement;
  const place = { type, key, tenant, policy: policy.name, mode, ...(arm && { arm }) };
  return stores.journal.append(
    journalEntry(identity, event, { ...stamp(), ...place }),
    isUnchecked ? STRANGERS : tenant,
  );
}

/** Tells operators what an exchange has changed. @throws whatever the stores throw. */
export async function noteActivity(
  { key, change, counts, spent, recovered }: NotedActivity,
  decided: ContinuedThread | JudgedWhole,
  went: ExchangeOutcome,
  context: ExchangeContext,
): Promise<void> {
  if (decided.kind === "judged" && !decided.isTold) return;
  const { meter, policy, placement } = context;
  meter.spent(spent, { policy: policy.name, arm: placement.arm });
  const kept = context.activity.note(key, change, counts);
  if (kept !== undefined) await kept;
  if (recovered !== undefined && decided.kind === "judged")
    await tellJournal(recovered, decided, went, context, "recovered");
  if (decided.kind === "continuation") await tellWarnings(decided, went, context);
}

async function tellWarnings(
  decided: ContinuedThread | JudgedWhole,
  went: ExchangeOutcome,
  context: ExchangeContext,
): Promise<void> {
  const { warning, nearMiss } = warningsIn(decided);
  if (warning === undefined && nearMiss === undefined) return;
  const whose =
    decided.kind === "judged"
      ? decided
      : { considered: decided.turn.before, budgetKey: () => undefined, isUnchecked: false };
  const at = (decided.kind === "judged" ? decided.considered.followed.tip : decided.turn.tip).total - 1;
  if (nearMiss !== undefined) await tellJournal({ ...nearMiss, at: at - 1 }, whose, went, context, "near-miss");
  if (warning === undefined) return;
  const { label: session } = whose.considered.identity;
  context.log.warn({ session, step: at, ...warning }, "loop-warning");
  await tellJournal({ ...warning, at }, whose, went, context, "warning");
}

/** The answer as its thread is found again by it: by its id only where the next request may name that in place of its history. */
function answeredBy({ answer, shown }: ExchangeOutcome, request: ParsedRequest, { protocol }: ExchangeContext) {
  const told = shown ?? answer;
  if (told === undefined) return undefined;
  const { conversation, previousAnswerId, keptUnder } = request;
  const carriesAll = conversation.steps.length > 0 && previousAnswerId === undefined;
  const isNamed = protocol.refersToAnswers && !carriesAll && request.field(["store"]) !== false;
  const { id, step } = told;
  const task = taskAt(conversation, conversation.steps.length);
  const standIn = shown && standInOf(shown, request);
  return { answer: { id: isNamed ? id : undefined, step }, task, standIn, keptUnder };
}

function standInOf({ upstream, isOwn, step }: ShownAnswer, { standIn }: ParsedRequest) {
  const { id: answerId, unanswered } = upstream;
  if (answerId === undefined || standIn === undefined) return undefined;
  return { answerId, items: standIn(unanswered, isOwn ? step : undefined) };
}
