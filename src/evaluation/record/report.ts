import { type LoopEntry, loopEntry, recordText, type RunState, stateText } from "../../activity/activity.ts";
import { agentName } from "../../agents/agents.ts";
import { UnloopError } from "../../errors.ts";
import { doneNames, isWarning } from "../../policy/policy.ts";
import { type Identity, type Intervention, isBlocked, type Ledger, tokensAsked } from "../../session/session.ts";
import { type DirectoryChange, partsOf, type SessionKey } from "../../store/store.ts";
import { hashText } from "../../text/hash.ts";
import type { RequestContext } from "../context.ts";
import type { Evaluation } from "../evaluate.ts";
import { identityAfter, sessionKeyOf } from "../load/load-state.ts";
import type { TokenUsage } from "../meter.ts";
import type { ExchangeOutcome, Verdict } from "../outcome.ts";
import { fieldOf, type ReadRequest } from "../read/read-request.ts";

/** Event: an intervention, or a runaway answer that was cut off (`cut`). */
type JournalEvent = Pick<Intervention, "grade" | "count" | "repeats" | "at" | "tools" | "note" | "foreseen"> & {
  /** The count that leads to the rung, where it has not been reached. */
  readonly of?: number;
  readonly rung: Intervention["rung"] | "cut";
  readonly detector: Intervention["detector"] | "runaway-output";
};

/** `recovered`: the run has gone on without the loop. `warning`, `near-miss`: one step short of its end, and away from there. */
type EventType = "intervention" | "recovered" | "warning" | "near-miss";

/** Owner of the entries of all runs that no upstream has let in: whoever changes the key has no further share by that. */
const UNVERIFIED = "strangers";

/** Whether an operator has ended the exchange, before its answer or in the midst of it. */
export function wasContained({ containment }: Evaluation, outcome: ExchangeOutcome): boolean {
  return containment !== undefined || outcome.contained === true;
}

/** What was done about an exchange, in order: on its request, then on its answer. */
function interventionsOf({ merged }: Evaluation, { unsaid, intervention }: ExchangeOutcome) {
  return [unsaid === true ? undefined : merged.news, intervention?.intervention].filter((one) => one !== undefined);
}

/** Appends what an exchange has led to; a cut would have been the thread's next step. Never rejects. */
export async function appendEvents(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<void> {
  await appendWarnings(evaluation, outcome);
  const events: JournalEvent[] = [...interventionsOf(evaluation, outcome)];
  if (outcome.runaway !== undefined) {
    const [{ laps: count }, at] = [outcome.runaway, evaluation.merged.tip.total];
    events.push({ rung: "cut", detector: "runaway-output", count, at, tools: [], note: cutNote(outcome.runaway) });
  }
  await Promise.all(events.map((event) => appendEvent(evaluation, event, outcome)));
}

/** Facts alone, no text of the conversation. Never rejects. */
function appendEvent(
  evaluation: Evaluation,
  { rung, detector, grade, count, of, repeats, at: step, tools, note, foreseen }: JournalEvent,
  outcome: ExchangeOutcome,
  type: EventType = "intervention",
): Promise<void> {
  const { mode, policy, placement } = evaluation.context;
  const facts = { rung, detector, grade, count, of, repeats, step, tools, note, foreseen };
  return append(evaluation, outcome, { type, policy: policy.name, mode, arm: placement.arm, ...facts });
}

/** A loop that is one step from its forced end, and one that was left there. */
async function appendWarnings(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<void> {
  const { merged, request, run, context } = evaluation;
  const { tip, save, counterBefore } = merged;
  // A request that came again has been counted.
  if (save === undefined || request.compacts) return;
  const at = tip.total - 1;
  const goesOn = (loop: string) =>
    tip.counter?.loop === loop || tip.interventions.some((one) => one.loop === loop && one.at >= tip.total - 2);
  if (counterBefore !== undefined && isWarning(counterBefore) && !goesOn(counterBefore.loop))
    await appendEvent(evaluation, { ...counterBefore, at: at - 1 }, outcome, "near-miss");
  const { counter } = tip;
  if (counter === undefined || !isWarning(counter)) return;
  context.log.warn({ session: run.identity.label, step: at, ...counter }, "loop-warning");
  await appendEvent(evaluation, { ...counter, at }, outcome, "warning");
}

/** Nothing else is recorded: its steps come again with the next request, if there is one. Never rejects. @returns 0 steps */
export async function recordContained(evaluation: Evaluation, outcome: ExchangeOutcome): Promise<number> {
  const { run, containment, context } = evaluation;
  const key = sessionKeyOf(evaluation, outcome.answer);
  const { actor, reason } = containment ?? context.containments.of(run.identity.key, key) ?? {};
  const note = outcome.contained ? "an open answer was ended" : "a request was answered with the reason";
  await append(evaluation, outcome, { type: "contained", note, actor, reason });
  return 0;
}

async function append(evaluation: Evaluation, { answer }: ExchangeOutcome, facts: object): Promise<void> {
  const { context, isUnverified, run } = evaluation;
  const { identity } = run;
  const { tenant = identity.tenant } = context.placement;
  const key = sessionKeyOf(evaluation, answer);
  const entry = recordText({ ...context.stamp(), key, session: identity.label, tenant, ...facts });
  await context.inBackground(() => context.stores.journal.append(entry, isUnverified ? UNVERIFIED : tenant));
}

function cutNote({ laps, blockTokens, calls }: NonNullable<ExchangeOutcome["runaway"]>): string {
  if (calls !== undefined) return `${calls} calls in one answer, one of them ${laps} times`;
  return `${laps} repeats of about ${blockTokens} tokens`;
}

/** Steps without its loop after which a run counts as recovered. */
const RECOVERED_AFTER = 5;

/** By the run's last intervention. In observe mode nobody was warned, and nothing was ended. */
function stateAfter(evaluation: Evaluation, last: Intervention | undefined, outcome: ExchangeOutcome): RunState {
  const { context, run, merged } = evaluation;
  const { tip } = merged;
  const isObserved = context.mode === "observe";
  const loop = last ?? tip.interventions.findLast(({ at }) => at >= tip.since);
  if (outcome.runaway !== undefined) return isObserved ? "looping" : "cut";
  if (!isObserved && loop !== undefined && (isBlocked(tip) || (last !== undefined && last.rung !== "nudge")))
    return loop.rung === "short-circuit" ? "ended" : "forced";
  if (failureIn(outcome) !== undefined) return "failing";
  // Nothing is left to be done: no call, or the done tool's alone.
  if (outcome.answer?.step.calls.every(({ tool }) => doneNames(context.policy).includes(tool))) return "done";
  if (loop === undefined) return "running";
  if (last === undefined && hasLeft(tip, loop)) return "recovered";
  const goesOn =
    last === undefined
      ? seenAt(tip, loop) === tip.total - 1 && tip.total - 1 > loop.at
      : run.stored.ledger?.interventions.some((earlier) => earlier.loop === last.loop);
  return isObserved || goesOn === true ? "looping" : "warned";
}

/** Index of the last step at which a loop stood on its ladder, whether or not that led to anything. */
const seenAt = ({ memory: { loops } }: Ledger, { loop, at }: Intervention): number =>
  Math.max(at, loops[loop]?.at ?? at);

const hasLeft = (tip: Ledger, loop: Intervention, total = tip.total): boolean =>
  total > seenAt(tip, loop) + RECOVERED_AFTER;

function failureIn({ status, failure, own, contained, runaway }: ExchangeOutcome): string | undefined {
  if (own !== undefined || contained === true || runaway !== undefined) return undefined;
  if (status >= 400) return String(status);
  return failure instanceof UnloopError && /^upstream_/.test(failure.code) ? failure.code : undefined;
}

/** Undefined: the entry's loop stays. */
function loopAfter(
  { merged: { tip }, run: { identity }, context: { policy } }: Evaluation,
  last: Intervention | undefined,
  { runaway }: ExchangeOutcome,
): LoopEntry | undefined {
  const { thread } = partsOf(identity.thread);
  if (last !== undefined) return loopEntry(last, thread, policy);
  if (runaway === undefined) return undefined;
  const own = { detector: "runaway-output", tools: [], grade: null, rung: "cut", due: null, next: null } as const;
  return { ...own, count: runaway.laps, step: tip.total, thread, note: cutNote(runaway) };
}

/** Places for the threads of one session. Two threads share one by chance alone (three threads: 0.6 %), and then the newer one is listed. */
const LISTED_THREADS = 512;

/** Reports an exchange to operators. @param added steps by which the stored thread has grown */
export async function recordActivity(
  evaluation: Evaluation,
  verdict: Verdict,
  outcome: ExchangeOutcome,
  added: number,
): Promise<void> {
  if (!evaluation.isReported) return;
  const { context, run, merged } = evaluation;
  const { meter, mode, policy, placement, activity } = context;
  const at = context.now() * 1_000;
  const identity = identityAfter(evaluation, outcome.answer) ?? run.identity;
  const failure = failureIn(outcome);
  const isContained = wasContained(evaluation, outcome);
  const interventions = isContained ? [] : interventionsOf(evaluation, outcome);
  const usage = spentBy(evaluation, verdict, outcome);
  meter.spent(usage, { policy: policy.name, ...placement });
  if (failure !== undefined) meter.upstreamFailed?.(failure, placement);
  const tokens = usage.inputTokens + usage.outputTokens;
  if (outcome.answer || failure) activity.steps.note(identity.thread, { step: merged.tip.total, at, tokens, failure });
  const rungs = [...interventions.map(({ rung }) => rung), ...(outcome.runaway === undefined ? [] : ["cut"])];
  const done = rungs.map((rung) => [mode === "observe" ? `observe:${rung}` : rung, 1] as const);
  const change: DirectoryChange = {
    at,
    set: entryAfter(evaluation, verdict, outcome, { at, identity, last: isContained ? null : interventions.at(-1) }),
    first: { firstSeenAt: String(at) },
    add: { ...sumsOf(added, usage, failure), ...Object.fromEntries(done) },
  };
  const noted = activity.note(run.budgetKey ?? identity.key, change);
  // Where the directory cannot be told, the journal still is.
  if (noted !== undefined) await context.inBackground(() => noted);
  const recovered = isContained || interventions.length > 0 ? undefined : recoveredIn(merged.tip, added);
  if (recovered !== undefined) await appendEvent(evaluation, recovered, outcome, "recovered");
}

/** What the directory has of a session after an exchange. @param last `null` where an operator has ended it: its state and loop stay */
function entryAfter(
  evaluation: Evaluation,
  verdict: Verdict,
  outcome: ExchangeOutcome,
  { at, identity, last }: { at: number; identity: Identity; last: Intervention | null | undefined },
): Record<string, string> {
  const { context, request, run } = evaluation;
  const { rule = "", arm = "" } = context.placement;
  const tool = outcome.answer?.step.calls[0]?.tool;
  const state = last === null ? undefined : stateAfter(evaluation, last, outcome);
  const loop = last === null ? undefined : loopAfter(evaluation, last, outcome);
  const since = state && context.activity.states.since(identity.thread, state, at);
  return {
    // What a changed configuration has changed for it, also where only its newest messages are read.
    verdict: verdict.verdict,
    ...{ mode: context.mode, rule, arm, unread: verdict.unread ?? "", failing: failureIn(outcome) ?? "" },
    ...(request.base === undefined && describe(identity, context, run.budgetKey ?? identity.key, request)),
    ...(tool !== undefined && { tool: tool.slice(0, 100).toWellFormed() }),
    ...(state && { [fieldsOf(identity).state]: stateText(state, at, since ?? at) }),
    ...(loop && { loop: recordText(loop) }),
  };
}

/** The loop that a run has just recovered from: it was warned of it, and has made five steps since without it. */
function recoveredIn(tip: Ledger, added: number): Intervention | undefined {
  const last = tip.interventions.at(-1);
  if (last === undefined || last.rung === "short-circuit") return undefined;
  return hasLeft(tip, last) && !hasLeft(tip, last, tip.total - added) ? last : undefined;
}

function spentBy(evaluation: Evaluation, verdict: Verdict, outcome: ExchangeOutcome): TokenUsage {
  const { request, run, usageMeter, action } = evaluation;
  const { answer } = outcome;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usageMeter?.total() ?? answer?.usage ?? {};
  const isAvoided =
    action.kind === "answer" && verdict.verdict === "short-circuit" && !wasContained(evaluation, outcome);
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(inputTokens, cachedInputTokens),
    inLoop: verdict.intervention === undefined ? 0 : inputTokens + outputTokens,
    // What it would have shown the model, at the least.
    avoided: isAvoided ? tokensAsked(request.whole().conversation, request.whole().tools) : 0,
    keptBack: outcome.own === undefined && outcome.intervention === undefined ? 0 : 1,
    answered: outcome.own === undefined || outcome.contained === true ? 0 : 1,
    threads: run.stored.ledger === undefined && request.added.length === 0 ? 1 : 0,
  };
}

function describe(
  identity: Identity,
  { protocol, policy, placement }: RequestContext,
  key: SessionKey,
  { asked, incoming }: ReadRequest,
): Record<string, string> {
  const { session, thread } = partsOf(identity.thread);
  return {
    name: identity.label,
    source: identity.source,
    tenant: placement.tenant ?? identity.tenant,
    client: placement.client ?? "",
    agent: agentName((field) => fieldOf(incoming, field)),
    model: asked.model.slice(0, 100).toWellFormed(),
    wire: protocol.name,
    policy: policy.name,
    [fieldsOf(identity).thread]: session === key ? thread : identity.thread,
  };
}

/** Names of the fields in which a run's thread stands. */
function fieldsOf({ thread }: Identity) {
  const slot = (hashText(partsOf(thread).thread) >>> 0) % LISTED_THREADS;
  return { thread: `thread${slot}`, state: `state${slot}` };
}

function sumsOf(added: number, usage: TokenUsage, failure: string | undefined): Record<string, number> {
  const { inLoop: loopTokens, avoided, threads: _, ...counted } = usage;
  const failed = failure && { [`failed:${failure}`]: 1 };
  const sums: Record<string, number> = { requests: 1 };
  const all = { ...counted, loopTokens, avoidedTokens: avoided, steps: added, ...failed };
  for (const [name, amount] of Object.entries(all)) if (amount > 0) sums[name] = amount;
  return sums;
}
