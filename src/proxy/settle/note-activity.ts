import { isPoll } from "../../engine/engine.ts";
import { countName } from "../../activity/activity.ts";
import { ROLLOUT_GROUPS, rolloutGroup } from "../../config/config.ts";
import { memoizeByRef } from "../../engine/engine.ts";
import {
  type Identity,
  type Intervention,
  ledgerReach,
  tokensAsked,
  type WarningChanges,
  warningChanges,
} from "../../session/session.ts";
import { type DirectoryChange, partsOf, type SessionKey, type Totals } from "../../store/store.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { SpentTokens } from "../meter.ts";
import type { ExchangeOutcome } from "../intercept/context.ts";
import type { Verdict } from "../relay/verdict.ts";
import type { ArrivedRequest } from "../request/cache-keys.ts";
import type { ContinuedThread, JudgedWhole } from "../request/decide-request.ts";
import { fieldOf } from "../request/request-metadata.ts";
import { cutNote } from "./cut-note.ts";
import { stateAfter } from "./session-state.ts";

/** Steps without its loop after which a run counts as recovered. */
const RECOVERED_AFTER = 5;

/** Places for the threads of one session. Two threads share one by chance alone (three threads: 0.6 %), and then the newer one is listed. */
const LISTED_THREADS = 512;

/** What an exchange has changed for operators: its session's entry, and the sums by policy, ladder and tool. */
export interface NotedActivity {
  readonly key: SessionKey;
  readonly change: DirectoryChange;
  readonly counts: Totals;
  readonly spent: SpentTokens;
  /** The loop that the run has left behind, if it has just now. */
  readonly recovered: Intervention | undefined;
}

export function activityOf(
  decided: ContinuedThread | JudgedWhole,
  verdict: Verdict,
  went: ExchangeOutcome,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): NotedActivity {
  const whole = decided.kind === "judged" ? decided : undefined;
  const { considered } = whole ?? {};
  const identity = decided.kind === "judged" ? decided.considered.identity : decided.turn.before.identity;
  const key = whole?.budgetKey(went.answer) ?? identity.key;
  const used = whole?.usageMeter?.total() ?? went.answer?.usage;
  const { inputTokens = 0, outputTokens = 0 } = used ?? {};
  const tip = decided.kind === "judged" ? decided.considered.followed.tip : decided.turn.tip;
  const newest = tip.window.at(-1);
  const isContained = whole?.contained !== undefined || went.contained === true;
  const spent = {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(inputTokens, went.answer?.usage?.cachedInputTokens ?? 0),
    inLoop: verdict.intervention === undefined ? 0 : inputTokens + outputTokens,
    polling: newest !== undefined && isPoll(newest) ? inputTokens + outputTokens : 0,
    avoided: whole === undefined || isContained ? 0 : avoidedBy(whole, verdict),
    sessions: whole !== undefined && begins(whole) ? 1 : 0,
  };
  const made = isContained ? undefined : (considered?.followed.news ?? went.made?.intervention);
  const recovered = made === undefined && whole !== undefined && !isContained ? recoveredIn(whole) : undefined;
  const warnings = warningsIn(decided);
  const add = { ...sumsOf(decided, spent), ...acted(made, went) };
  const at = context.now() * 1_000;
  const set: Record<string, string> = { verdict: verdict.verdict };
  if (considered !== undefined)
    Object.assign(set, describe(identity, considered.request.model ?? "", arrived, context));
  if (whole !== undefined && !isContained)
    Object.assign(set, stateAfter(whole, { made, recovered }, went, context, slotOf(partsOf(identity.thread).thread)));
  if (went.runaway !== undefined) set.cut = cutNote(went.runaway);
  return {
    key,
    change: { at, set, first: { firstSeenAt: String(at) }, add },
    counts: countsOf(decided, { key, made, recovered, warnings, spent, cut: went.runaway !== undefined }, context),
    spent,
    recovered,
  };
}

function describe(
  identity: Identity,
  model: string,
  { exchange }: ArrivedRequest,
  { protocol, policy, mode, placement }: ExchangeContext,
): Record<string, string> {
  const { thread } = partsOf(identity.thread);
  const agent = /^[\w.@-]{1,48}(?:\/[\w.-]{1,24})?/.exec(fieldOf(exchange, "user-agent") ?? "")?.[0] ?? "";
  return {
    name: identity.label,
    source: identity.source,
    tenant: placement.tenant ?? identity.tenant,
    client: placement.client ?? "",
    rule: placement.rule ?? "",
    arm: placement.arm ?? "",
    agent,
    model: model.slice(0, 100).toWellFormed(),
    wire: protocol.name,
    policy: policy.name,
    mode,
    [`thread${slotOf(thread)}`]: identity.thread,
  };
}

function slotOf(thread: string): number {
  let hash = 0;
  for (let i = 0; i < thread.length; i++) hash = (hash * 31 + thread.charCodeAt(i)) >>> 0;
  return hash % LISTED_THREADS;
}

/** A request that was answered here was not asked upstream: what it would have shown the model, at the least. */
function avoidedBy({ action, considered: { request } }: JudgedWhole, { verdict }: Verdict): number {
  return action.kind === "answer" && verdict === "short-circuit" ? tokensAsked(request.conversation, request.tools) : 0;
}

function sumsOf(
  decided: ContinuedThread | JudgedWhole,
  { inputTokens, outputTokens, inLoop }: SpentTokens,
): Record<string, number> {
  const sums: Record<string, number> = { requests: 1 };
  const steps = stepsAdded(decided);
  if (steps > 0) sums.steps = steps;
  if (inputTokens > 0) sums.inputTokens = inputTokens;
  if (outputTokens > 0) sums.outputTokens = outputTokens;
  if (inLoop > 0) sums.loopTokens = inLoop;
  return sums;
}

function stepsAdded(decided: ContinuedThread | JudgedWhole): number {
  if (decided.kind === "continuation") return decided.turn.tip.total - decided.turn.before.tip.total;
  return Math.max(0, decided.considered.followed.tip.total - ledgerReach(decided.found.ledger));
}

function acted(made: Intervention | undefined, { runaway }: ExchangeOutcome): Totals {
  return { ...(made && { [made.rung]: 1 }), ...(runaway && { cut: 1 }) };
}

/** Of a loop that was told of: five steps have been taken since, and none of them was its. */
function recoveredIn({ considered, found }: JudgedWhole): Intervention | undefined {
  const { tip } = considered.followed;
  const last = tip.interventions.at(-1);
  if (last === undefined || last.rung === "short-circuit") return undefined;
  const passed = last.at + RECOVERED_AFTER;
  return tip.total > passed && ledgerReach(found.ledger) <= passed ? last : undefined;
}

/** None of a request that was told again: it has been counted. */
export function warningsIn(decided: ContinuedThread | JudgedWhole): WarningChanges {
  if (decided.kind === "continuation") return warningChanges(decided.turn.before.tip.counter, decided.turn.tip);
  const { save, counterBefore, tip } = decided.considered.followed;
  return save === undefined || decided.compacts ? {} : warningChanges(counterBefore, tip);
}

interface Counted {
  readonly key: SessionKey;
  readonly made: Intervention | undefined;
  readonly recovered: Intervention | undefined;
  readonly warnings: WarningChanges;
  readonly spent: SpentTokens;
  readonly cut: boolean;
}

/** The names that most exchanges count under, put together once. */
const namesFor = memoizeByRef(({ policy, placement }: ExchangeContext) => {
  const { arm = "" } = placement;
  const side = { policy: policy.name, arm };
  const groups = arm === "" ? [undefined] : Array.from({ length: ROLLOUT_GROUPS }, (_, group) => group);
  return { side, byGroup: groups.map((group) => namesOf({ ...side, group })) };
});

const namesOf = (side: { readonly policy: string; readonly arm: string; readonly group: number | undefined }) => ({
  exchanges: countName({ kind: "exchanges", ...side }),
  sessions: countName({ kind: "sessions", ...side }),
  tokens: countName({ kind: "tokens", ...side }),
  outputTokens: countName({ kind: "outputTokens", ...side }),
  cachedTokens: countName({ kind: "cachedTokens", ...side }),
  loopTokens: countName({ kind: "loopTokens", ...side }),
  avoidedTokens: countName({ kind: "avoidedTokens", ...side }),
});

function spentUnder(names: ReturnType<typeof namesOf>, spent: SpentTokens): Record<string, number> {
  const { inputTokens, outputTokens, cachedTokens, inLoop, avoided, sessions } = spent;
  const amounts = [
    [names.sessions, sessions],
    [names.tokens, inputTokens + outputTokens],
    [names.outputTokens, outputTokens],
    [names.cachedTokens, cachedTokens],
    [names.loopTokens, inLoop],
    [names.avoidedTokens, avoided],
  ] as const;
  const counts: Record<string, number> = { [names.exchanges]: 1 };
  for (const [name, amount] of amounts) if (amount > 0) counts[name] = amount;
  return counts;
}

function countsOf(
  decided: ContinuedThread | JudgedWhole,
  { key, made, recovered, warnings, spent, cut }: Counted,
  context: ExchangeContext,
): Totals {
  const names = namesFor(context);
  const group = names.side.arm === "" ? 0 : rolloutGroup(key);
  const counts = spentUnder(names.byGroup[group] ?? namesOf({ ...names.side, group }), spent);
  const ladder = ({ detector, grade = "" }: { readonly detector: string; readonly grade?: string }) => ({
    ...names.side,
    detector,
    grade,
  });
  if (made !== undefined) {
    counts[countName({ kind: "acts", ...ladder(made), rung: made.rung })] = 1;
    if (decided.kind === "judged" && isRepeated(made, decided))
      counts[countName({ kind: "repeated", ...ladder(made) })] = 1;
    for (const tool of new Set(made.tools)) counts[countName({ kind: "tools", tool, detector: made.detector })] = 1;
  }
  if (recovered !== undefined) counts[countName({ kind: "recovered", ...ladder(recovered) })] = 1;
  for (const [kind, ofTools, counter] of [
    ["warnings", "toolWarnings", warnings.warning],
    ["nearMisses", "toolNearMisses", warnings.nearMiss],
  ] as const) {
    if (counter === undefined) continue;
    counts[countName({ kind, ...ladder(counter) })] = 1;
    for (const tool of new Set(counter.tools))
      counts[countName({ kind: ofTools, tool, detector: counter.detector })] = 1;
  }
  if (cut) counts[countName({ kind: "acts", ...names.side, detector: "runaway-output", grade: "", rung: "cut" })] = 1;
  return counts;
}

function begins({ considered, found }: JudgedWhole): boolean {
  return found.ledger === undefined && considered.request.conversation.steps.length === 0;
}

function isRepeated({ loop }: Intervention, { found }: JudgedWhole): boolean {
  return found.ledger?.interventions.some((earlier) => earlier.loop === loop) ?? false;
}
