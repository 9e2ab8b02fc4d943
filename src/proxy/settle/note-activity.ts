import { countName, loopText } from "../../activity/activity.ts";
import { memoizeByRef } from "../../engine/engine.ts";
import {
  type Identity,
  type Intervention,
  ledgerReach,
  type WarningChanges,
  warningChanges,
} from "../../session/session.ts";
import { type DirectoryChange, partsOf, type SessionKey, type Totals } from "../../store/store.ts";
import type { ExchangeContext } from "../guard-context.ts";
import type { ExchangeOutcome } from "../intercept/context.ts";
import type { Verdict } from "../relay/verdict.ts";
import type { ArrivedRequest } from "../request/cache-keys.ts";
import type { ContinuedThread, JudgedWhole } from "../request/decide-request.ts";
import { fieldOf } from "../request/request-metadata.ts";

/** Steps without its loop after which a run counts as recovered. */
const RECOVERED_AFTER = 5;

/** Places for the threads of one session. Two threads share one by chance alone (three threads: 0.6 %), and then the newer one is listed. */
const LISTED_THREADS = 512;

/** What an exchange has changed for operators: its session's entry, and the sums by policy, ladder and tool. */
export interface NotedActivity {
  readonly key: SessionKey;
  readonly change: DirectoryChange;
  readonly counts: Totals;
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
  const spent = {
    inputTokens,
    outputTokens,
    inLoop: verdict.intervention === undefined ? 0 : inputTokens + outputTokens,
  };
  const isContained = whole?.contained !== undefined || went.contained === true;
  const made = isContained ? undefined : (considered?.followed.news ?? went.made?.intervention);
  const recovered = made === undefined && whole !== undefined && !isContained ? recoveredIn(whole) : undefined;
  const warnings = warningsIn(decided);
  const add = { ...sumsOf(decided, spent), ...acted(made, went) };
  const at = context.now() * 1_000;
  const set: Record<string, string> = { verdict: verdict.verdict };
  if (considered !== undefined)
    Object.assign(set, describe(identity, considered.request.model ?? "", arrived, context));
  if (made !== undefined) set.loop = loopText(made, partsOf(identity.thread).thread, context.policy);
  else if (recovered !== undefined) set.loop = "";
  return {
    key,
    change: { at, set, first: { firstSeenAt: String(at) }, add },
    counts: countsOf(decided, { made, recovered, warnings, spent, cut: went.runaway !== undefined }, context),
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
    name: identity.session,
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

interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly inLoop: number;
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
  readonly made: Intervention | undefined;
  readonly recovered: Intervention | undefined;
  readonly warnings: WarningChanges;
  readonly spent: SpentTokens;
  readonly cut: boolean;
}

/** The names that most exchanges count under, put together once. */
const namesFor = memoizeByRef(({ policy, placement }: ExchangeContext) => {
  const side = { policy: policy.name, arm: placement.arm ?? "" };
  return {
    side,
    exchanges: countName({ kind: "exchanges", ...side }),
    sessions: countName({ kind: "sessions", ...side }),
    tokens: countName({ kind: "tokens", ...side }),
    loopTokens: countName({ kind: "loopTokens", ...side }),
  };
});

function countsOf(
  decided: ContinuedThread | JudgedWhole,
  { made, recovered, warnings, spent, cut }: Counted,
  context: ExchangeContext,
): Totals {
  const names = namesFor(context);
  const counts: Record<string, number> = { [names.exchanges]: 1 };
  const tokens = spent.inputTokens + spent.outputTokens;
  if (tokens > 0) counts[names.tokens] = tokens;
  if (spent.inLoop > 0) counts[names.loopTokens] = spent.inLoop;
  if (decided.kind === "judged" && begins(decided)) counts[names.sessions] = 1;
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
  for (const [kind, counter] of [
    ["warnings", warnings.warning],
    ["nearMisses", warnings.nearMiss],
  ] as const)
    if (counter !== undefined) counts[countName({ kind, ...ladder(counter) })] = 1;
  if (cut) counts[countName({ kind: "acts", ...names.side, detector: "runaway-output", grade: "", rung: "cut" })] = 1;
  return counts;
}

function begins({ considered, found }: JudgedWhole): boolean {
  return found.ledger === undefined && considered.request.conversation.steps.length === 0;
}

function isRepeated({ loop }: Intervention, { found }: JudgedWhole): boolean {
  return found.ledger?.interventions.some((earlier) => earlier.loop === loop) ?? false;
}
