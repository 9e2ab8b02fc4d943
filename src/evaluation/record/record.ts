import { detectorsThatNeed } from "../../engine/engine.ts";
import { limitedKinds, limitsBudget } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import {
  type Answered,
  callsHash,
  canContinue,
  type Identity,
  isRandomId,
  type KnownPrefix,
  ledgerReach,
  type MergeResult,
  noStoredLedger,
  type OpenStep,
  openStepOf,
  referredCalls,
  runOfAnswer,
  saveLedger,
  saveAliases,
  stepAliases,
  withAnswered,
} from "../../session/session.ts";
import type { Totals } from "../../store/store.ts";
import { stepsRead } from "../act/action.ts";
import type { Evaluation } from "../evaluate.ts";
import { identityAfter, keyAfter } from "../load/load-state.ts";
import { type ExchangeOutcome, finalVerdict, isRefused, type ShownAnswer } from "../outcome.ts";
import { prefixNames } from "../read/read-request.ts";
import { limitsUsage } from "../meter.ts";
import { appendEvents, recordActivity, recordContained, wasContained } from "./report.ts";

/** Exchanges without a step that rule out chance: normally the second request of a run carries its first step. */
const ENOUGH = 5;

/** Whether nothing can be seen of this client's runs, whatever the verdict says. Told in the log once. */
export function noteStepless({ request, run: { identity }, merged, context }: Evaluation): boolean {
  if (request.base !== undefined) return false;
  const { stepless } = context.memory;
  const { unread, conversation } = request.whole();
  // A history that is not understood is a run's own; of prompts that are written anew only client and instructions are alike.
  const isOwn = identity.isGiven || unread !== undefined;
  const name = isOwn ? identity.key : context.sign(`stepless\u0000${identity.tenant}\u0000${conversation.system}`);
  const before = stepless.has(name) ? stepless.get(name) : 0;
  const count = before === undefined || stepsRead(request, merged.tip) > 0 ? undefined : before + 1;
  stepless.set(name, count);
  if (count === ENOUGH) context.log.warn({ session: identity.label, unread, cure: CURE }, "no-steps-told");
  return count !== undefined && count >= ENOUGH;
}

const CURE =
  "This client's requests contain no steps that are understood, so their loops cannot be seen. If it is an agent, see docs/dialects.md for the supported histories, and for the policy field that describes others. `unread` is the first part of its history that is not understood.";

/** Saves once: what is saved before the last byte is not saved again. Never rejects. @returns the number of steps that the stored thread has grown by */
export function saveTurn(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<number | undefined> {
  const { context, run, merged, saved } = evaluation;
  const { calls = [] } = (outcome.shown ?? outcome.answer)?.step ?? {};
  const { parallelAnswers } = context.memory;
  if (calls.length > 1) parallelAnswers.set(run.identity.thread, merged.tip.total);
  else if (outcome.shown ?? outcome.answer) parallelAnswers.delete(run.identity.thread);
  const record = wasContained(evaluation, outcome) ? recordContained : recordExchange;
  saved.steps ??= context.inBackground(() => record(evaluation, outcome));
  return saved.steps;
}

/** Saves, and reports the exchange to operators. Never rejects. */
export async function recordTurn(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<void> {
  const { context, action } = evaluation;
  const added = (await saveTurn(evaluation, outcome)) ?? 0;
  // An error by which the guard ends a contained session is no upstream's word on a key.
  if (isRefused(outcome) && !wasContained(evaluation, outcome)) return;
  const verdict = finalVerdict(action.verdict, outcome, context.mode);
  await context.inBackground(() => recordActivity(evaluation, verdict, outcome, added));
}

/** Saves the thread, its aliases, what was done and used up: each write is tried, whatever becomes of the others. */
async function recordExchange(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<number> {
  const { context, run, isReported, isUnverified } = evaluation;
  if (isRefused(outcome) || !isReported) return 0;
  const saving = isUnverified ? 0 : saveThread(evaluation, outcome);
  const [added] = await Promise.all([saving, appendEvents(evaluation, outcome)]);
  if (isUnverified) return 0;
  await context.inBackground(() => countUp(evaluation, added, outcome));
  context.log.debug({ session: run.identity.label, steps: added }, "recorded");
  return added;
}

async function saveThread(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<number> {
  const { request, run, terms, context } = evaluation;
  const { stores, sign, sessionTtlMs: ttlMs, inBackground, prefixes } = context;
  const { identity } = run;
  // What a compaction is answered with is no step: the alias by the step before it still leads here.
  const shown = request.compacts ? undefined : (outcome.shown ?? outcome.answer);
  const answered = shown && answeredBy(shown, outcome, evaluation);
  const open = openIn(outcome, answered, evaluation);
  const owner = answered === undefined ? identity : ownerOf(answered, shown?.id, evaluation);
  const merged = mergedToSave(evaluation, outcome, owner);
  const stored = owner.thread === identity.thread ? run.stored : noStoredLedger;
  const saved = inBackground(async () => {
    const grown = await saveLedger(stores.sessions, owner, stored, merged, {
      conversation: () => request.whole().conversation,
      evaluation: terms,
      intercepted: outcome.intervention?.intervention,
      open,
      endedBy: endedBy(outcome, evaluation),
      ttlMs,
    });
    if (grown === undefined) context.log.warn({ session: identity.label }, "save-given-up");
    return grown;
  });
  const aliased =
    answered &&
    inBackground(async () => {
      // Whoever goes on from an answer by its name finds its half in the thread.
      if (answered.references.length > 0 || answered.lastCallAt !== undefined) await saved;
      const told = outcome.answer && request.base === undefined && request.whole().conversation.isUntold && open;
      await saveAliases(stores.sessions, owner, { ...answered, ...(told && { told }) }, sign, ttlMs);
    });
  // At once, for the next request may come before this one is saved. Where its write is refused, the record is read again, which
  // makes the thread unknown here.
  const prefix = answered && open === undefined ? prefixAfter({ ...evaluation, merged }, outcome, answered) : undefined;
  if (prefix !== undefined) prefixes?.put(prefix, request.base);
  // The same request again goes by what is saved of this one.
  else if (request.base !== undefined) prefixes?.drop(identity.thread);
  const [added] = await Promise.all([saved, aliased]);
  // What the store did not take because it failed, it takes with the next turn.
  return added ?? (prefix === undefined ? 0 : ledgerReach(prefix.ledger) - ledgerReach(stored.ledger));
}

/** What the next request of the thread can be read from; undefined where that needs more than this one has shown. */
function prefixAfter(
  { request, run, merged, action, ticket, context }: Evaluation,
  { answer, intervention }: ExchangeOutcome,
  { aliases }: Answered,
): KnownPrefix | undefined {
  const { policy, sign } = context;
  const { save: ledger, tip } = merged;
  const { base, added, asked } = request;
  if (answer === undefined || intervention !== undefined || ledger === undefined) return undefined;
  const identity = identityAfter({ request, run, context }, answer);
  const names = prefixNames(answer.step, request.incoming);
  const isAsItCame = action.kind === "forward" && action.change === undefined;
  // It is found by its calls alone, and runs that begin alike have one name where those have no ids of their own.
  const isFound = names.length > 0 && (base !== undefined || added.length > 0 || identity?.isCertain === true);
  if (identity === undefined || !isFound || !isAsItCame || !ticket.wasAlone() || run.totals === undefined)
    return undefined;
  if (base === undefined) {
    const { conversation, previousAnswerId } = request.whole();
    // Nothing but the thread itself decides: no budget, no plan, no words to add.
    const isPlain = policy.judge === undefined && policy.preamble === undefined && !limitsBudget(policy);
    if (!isPlain || previousAnswerId !== undefined || !canContinue(conversation, { ledger, tip }, sign))
      return undefined;
  }
  const body = request.prefix();
  if (body === undefined) return undefined;
  return { names, body, identity, policy, asked, ledger, tip, aliases };
}

/** The calls of an end, by which it is known where its client carries them out and goes on. */
function endedBy({ own }: ExchangeOutcome, { terms: { sign, policy } }: Evaluation): string | undefined {
  return own === undefined || own.calls.length === 0 ? undefined : callsHash(own, sign, policy);
}

/** The answer's half of its step, where later requests tell the other half alone. None if it was cut off or never came: no prompt will mention it. */
function openIn(
  outcome: ExchangeOutcome,
  answered: Answered | undefined,
  { request, merged, action, terms }: Evaluation,
): OpenStep | undefined {
  if (request.base !== undefined) return undefined;
  const { conversation } = request.whole();
  if (conversation.isUntold !== true)
    return answered?.named && openStepOf(answered.step, conversation, terms, merged.tip);
  const isOwn = action.kind === "answer" || outcome.intervention?.intervention.rung === "short-circuit";
  const step = outcome.answer?.step;
  return step === undefined && !isOwn ? undefined : openStepOf(step, conversation, terms, merged.tip);
}

/** Whose the answer is. Runs that begin alike have one derived name: by its first answer each has its own. */
function ownerOf({ references, step }: Answered, id: string | undefined, evaluation: Evaluation): Identity {
  const { run, request, context } = evaluation;
  const { identity } = run;
  if (request.added.length > 0 || identity.isGiven) return identity;
  const { isUntold, showsState } = request.whole().conversation;
  const isNameless = identity.source === "derived" && isUntold !== true && showsState !== true;
  if (!isNameless && references.length === 0) return identity;
  const after = identityAfter(evaluation, { id, step, finishReason: undefined, usage: undefined });
  if (after?.isCertain === true) return after;
  return references.length === 0 || id === undefined ? identity : runOfAnswer(identity, id, context.sign);
}

/** Merge result to save: it tells of the request's arrival where that was answered whole, or here as part of a storm. */
function mergedToSave(
  { ticket, run: { stored, identity }, merged, terms: { arrival, sign }, action }: Evaluation,
  { answer }: ExchangeOutcome,
  owner: Identity,
): MergeResult {
  if (owner !== identity && owner.isCertain && merged.save !== undefined) {
    const { session: name } = identity;
    return { ...merged, save: { ...merged.save, name }, tip: { ...merged.tip, name } };
  }
  const ledger = merged.save ?? stored.ledger;
  const isStorm = detectorsThatNeed("arrivals").some((name) => name === merged.now?.intervention.detector);
  // The ledger may go on beyond this request, and concurrent requests are samples.
  const isLast = ledger !== undefined && ledgerReach(ledger) === merged.tip.total;
  if (!isLast || !ticket.wasAlone() || (answer === undefined && !(isStorm && action.kind === "answer"))) return merged;
  const save = withAnswered(ledger, arrival, answer?.step, sign);
  return save === ledger ? merged : { ...merged, save };
}

/** In one write, so that nobody ever sees a half. */
async function countUp(evaluation: Evaluation, steps: number, { answer }: ExchangeOutcome): Promise<void> {
  const { stores, sessionTtlMs, memory, log } = evaluation.context;
  const amounts = amountsFor(evaluation, steps);
  const key = Object.keys(amounts).length === 0 ? undefined : keyAfter(evaluation, answer);
  if (key !== undefined) await stores.counters.add(key, amounts, sessionTtlMs);
  // The cost of such a model stays unknown, and with it whether the budget holds.
  const model = evaluation.usageMeter?.total()?.unpriced?.slice(0, 100).toWellFormed();
  if (model === undefined || memory.unpriced.has(model)) return;
  memory.unpriced.set(model, true);
  log.warn({ model }, "model-without-price");
}

function amountsFor({ usageMeter, run: { totals }, at, context: { policy } }: Evaluation, steps: number): Totals {
  const limited = limitedKinds(policy);
  const billed = limitsUsage(policy) ? usageMeter?.total() : undefined;
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = billed ?? {};
  return {
    ...(steps > 0 && limited.size > 0 ? { steps } : {}),
    ...(billed === undefined ? {} : { inputTokens, outputTokens, cost }),
    // The session's first request; where the totals could not be read, nobody knows whether this was it.
    ...(limited.has("seconds") && totals !== undefined && !totals.starts ? { started: at, starts: 1 } : {}),
  };
}

/** The answer as its thread is found again by it: by its id only where the next request may name that in place of its history. */
function answeredBy(
  { id, step }: Pick<ShownAnswer, "id" | "step">,
  { shown }: ExchangeOutcome,
  { request, run, merged, context, ticket }: Evaluation,
): Answered {
  const aliases = stepAliases(step, request.added, run.identity, request.base?.aliases, context.sign);
  if (request.base !== undefined) return { step, aliases, references: [] };
  const whole = request.whole();
  const { previousAnswerId, unknownCallId, keptUnder, standIn: mayRefer } = whole;
  const { steps } = whole.conversation;
  const carriesAll = steps.length > 0 && previousAnswerId === undefined;
  const isStored = context.protocol.refersToAnswers && whole.field(["store"]) !== false;
  const isNamed = isStored && !carriesAll && id !== undefined;
  // What the upstream keeps the next request may refer to item by item: a first one does not show whether it will.
  const isReferred = isStored && mayRefer && !previousAnswerId && (steps.length === 0 || unknownCallId !== undefined);
  const [calls = []] = referredCalls([step]);
  const callIds = isReferred ? step.calls.flatMap(({ id: callId = "" }) => (isRandomId(callId) ? [callId] : [])) : [];
  const references = [
    ...(isNamed ? [{ id: keptUnder ?? id, isReplaced: keptUnder !== undefined }] : []),
    ...callIds.map((callId) => ({ id: callId, isReplaced: false })),
  ];
  const standIn = shown && substituteFor(shown, whole);
  const named = references.length > 0 && {
    ...{ at: merged.tip.total, calls },
    ...(isReferred && { earlier: referredCalls(steps) }),
    ...(standIn && { standIn }),
  };
  // Who shows more than one step shows the others, too.
  const isShown = steps.length <= 1 && !whole.conversation.isUntold && references.length === 0 && ticket.wasAlone();
  return {
    ...{ step, aliases, references },
    ...(named && { named }),
    ...(isShown && { lastCallAt: merged.tip.total }),
  };
}

function substituteFor({ upstream, isOwn, step }: ShownAnswer, { standIn }: ParsedRequest) {
  const { id: answerId, unanswered } = upstream;
  if (answerId === undefined || standIn === undefined) return undefined;
  const calls = step.calls.map((call) => ({ ...call, args: "{}" }));
  return { answerId, items: standIn(unanswered, isOwn ? { calls, text: "", heard: [] } : undefined) };
}
