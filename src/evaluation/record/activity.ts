import { loopText, stateText } from "../../activity/activity.ts";
import { memoizeByRef } from "../../engine/engine.ts";
import type { Identity, Intervention, Ledger } from "../../session/session.ts";
import { type DirectoryChange, partsOf, type SessionKey, type ThreadKey } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { TokenUsage } from "../meter.ts";
import type { ExchangeOutcome } from "../outcome.ts";
import { fieldOf, type RequestHead } from "../read/request-metadata.ts";
import { type RunUpdate, wasContained } from "../run-update.ts";
import type { Verdict } from "../verdict.ts";
import { appendEntry } from "./journal.ts";
import { loopAfter, RECOVERED_AFTER, stateAfter } from "./session-state.ts";

/** Places for the threads of one session. Two threads share one by chance alone (three threads: 0.6 %), and then the newer one is listed. */
const LISTED_THREADS = 512;

/** What operators see of an exchange: its session's entry, and what it used up. */
interface ActivityChange {
  readonly key: SessionKey;
  readonly thread: ThreadKey;
  readonly change: DirectoryChange;
  readonly spent: TokenUsage;
  /** The loop that the run has left behind, if it has just now. */
  readonly recovered: Intervention | undefined;
}

/** Reports an exchange to operators. @param added steps by which the stored thread has grown. Where the directory cannot be told, the journal still is. */
export async function recordActivity(
  update: RunUpdate,
  verdict: Verdict,
  outcome: ExchangeOutcome,
  head: RequestHead,
  added: number,
): Promise<void> {
  if (!update.isReported) return;
  const { context } = update;
  const { meter, policy, placement, activity } = context;
  const { key, thread, change, spent: usage, recovered } = activityOf(update, verdict, outcome, head, added);
  meter.spent(usage, { policy: policy.name, arm: placement.arm, ...placement });
  const { answer } = outcome;
  const step = update.tip.total;
  if (answer)
    activity.steps.note(thread, {
      step,
      at: change.at,
      tokens: usage.inputTokens + usage.outputTokens,
    });
  const noted = activity.note(key, change);
  if (noted !== undefined) await context.inBackground(() => noted);
  if (recovered !== undefined) await appendEntry(update, recovered, outcome, "recovered");
}

function activityOf(
  update: RunUpdate,
  verdict: Verdict,
  outcome: ExchangeOutcome,
  head: RequestHead,
  added: number,
): ActivityChange {
  const { context, request, tip } = update;
  const key = update.sessionKey(outcome.answer);
  const identity = update.identityAfter(outcome.answer);
  const { thread } = identity;
  const isContained = wasContained(update, outcome);
  const usage = spentBy(update, verdict, outcome);
  const intervention = isContained ? undefined : (update.intervention ?? outcome.intervention?.intervention);
  const recovered = intervention === undefined && !isContained ? recoveredIn(tip, added) : undefined;
  const at = context.now() * 1_000;
  const { mode, placement } = context;
  // What a changed configuration has changed for it, also where only its newest messages are read.
  const set: Record<string, string> = {
    verdict: verdict.verdict,
    mode,
    rule: placement.rule ?? "",
    arm: placement.arm ?? "",
    unread: verdict.unread ?? "",
  };
  if (request !== undefined) Object.assign(set, describe(identity, context, key, request.model ?? "", head));
  if (!isContained) {
    const state = stateAfter(update, intervention, outcome);
    set[fieldsOf(identity).state] = stateText(state, at, context.activity.states.since(thread, state, at));
    const loop = loopAfter(update, intervention, outcome);
    if (loop !== undefined) Object.assign(set, { loop: loopText(loop), marked: "1" });
  }
  const acts = { ...(intervention && { [intervention.rung]: 1 }), ...(outcome.runaway !== undefined && { cut: 1 }) };
  return {
    key,
    thread,
    change: { at, set, first: { firstSeenAt: String(at) }, add: { ...sumsOf(added, usage), ...acts } },
    spent: usage,
    recovered,
  };
}

/** A run has recovered from a loop that it was warned of when five steps have been taken since, and none of them was its. */
function recoveredIn({ interventions, total }: Ledger, added: number): Intervention | undefined {
  const last = interventions.at(-1);
  if (last === undefined || last.rung === "short-circuit") return undefined;
  const passed = last.at + RECOVERED_AFTER;
  return total > passed && total - added <= passed ? last : undefined;
}

function spentBy(update: RunUpdate, verdict: Verdict, outcome: ExchangeOutcome): TokenUsage {
  const { answer } = outcome;
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens = 0,
  } = update.usageMeter?.total() ?? answer?.usage ?? {};
  const total = inputTokens + outputTokens;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(inputTokens, cachedInputTokens),
    inLoop: verdict.intervention === undefined ? 0 : total,
    avoided: wasContained(update, outcome) ? 0 : update.avoidedTokens(verdict),
    sessions: update.isBeginning ? 1 : 0,
  };
}

function describe(
  identity: Identity,
  { protocol, policy, placement }: RequestContext,
  key: SessionKey,
  model: string,
  head: RequestHead,
): Record<string, string> {
  const { session, thread } = partsOf(identity.thread);
  const agent = /^[\w.@-]{1,48}(?:\/[\w.-]{1,24})?/.exec(fieldOf(head, "user-agent") ?? "")?.[0] ?? "";
  return {
    name: identity.label,
    source: identity.source,
    tenant: placement.tenant ?? identity.tenant,
    client: placement.client ?? "",
    agent,
    model: model.slice(0, 100).toWellFormed(),
    wire: protocol.name,
    policy: policy.name,
    [fieldsOf(identity).thread]: session === key ? thread : identity.thread,
  };
}

/** Names of the fields in which a run's thread stands; put together once for a run that is read by its new messages. */
const fieldsOf = memoizeByRef(({ thread }: Identity) => {
  const slot = slotOf(partsOf(thread).thread);
  return { thread: `thread${slot}`, state: `state${slot}` };
});

function slotOf(thread: string): number {
  let hash = 0;
  for (let i = 0; i < thread.length; i++) hash = (hash * 31 + thread.charCodeAt(i)) >>> 0;
  return hash % LISTED_THREADS;
}

function sumsOf(
  added: number,
  { inputTokens, cachedTokens, outputTokens, inLoop }: TokenUsage,
): Record<string, number> {
  const sums: Record<string, number> = { requests: 1 };
  if (added > 0) sums.steps = added;
  if (inputTokens > 0) sums.inputTokens = inputTokens;
  if (cachedTokens > 0) sums.cachedTokens = cachedTokens;
  if (outputTokens > 0) sums.outputTokens = outputTokens;
  if (inLoop > 0) sums.loopTokens = inLoop;
  return sums;
}
