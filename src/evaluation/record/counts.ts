import { type Count, countName, type SpentCount } from "../../activity/activity.ts";
import { ROLLOUT_GROUPS, rolloutGroup } from "../../config/config.ts";
import { memoizeByRef } from "../../engine/engine.ts";
import type { Intervention } from "../../session/session.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { TokenUsage } from "../meter.ts";
import type { RunUpdate } from "../run-update.ts";

/** Facts for counting an exchange, beside those of its run. */
export interface ExchangeTally {
  readonly key: SessionKey;
  /** Intervention on the request or on its answer. */
  readonly intervention: Intervention | undefined;
  readonly recovered: Intervention | undefined;
  readonly spent: TokenUsage;
  readonly isCut: boolean;
}

/** Counts that one exchange adds to the sums by policy, ladder and tool. */
export function countsOf(
  update: RunUpdate,
  { key, intervention, recovered, spent: usage, isCut }: ExchangeTally,
): Totals {
  const names = namesFor(update.context);
  const group = names.side.arm === "" ? 0 : rolloutGroup(key);
  const counts = usageCounts(names.byGroup[group] ?? namesOf({ ...names.side, group }), usage);
  const ladder = ({ detector, grade = "" }: { readonly detector: string; readonly grade?: string }) => ({
    ...names.side,
    detector,
    grade,
  });
  if (intervention !== undefined) {
    const { detector, rung, tools } = intervention;
    counts[countName({ kind: "acts", ...ladder(intervention), rung })] = 1;
    if (update.isKnownLoop(intervention)) counts[countName({ kind: "repeated", ...ladder(intervention) })] = 1;
    for (const tool of new Set(tools))
      counts[countName({ kind: "tools", tool, detector, tenant: names.side.tenant })] = 1;
  }
  if (recovered !== undefined) counts[countName({ kind: "recovered", ...ladder(recovered) })] = 1;
  for (const [kind, ofTools, counter] of [
    ["warnings", "toolWarnings", update.warnings.warning],
    ["nearMisses", "toolNearMisses", update.warnings.nearMiss],
  ] as const) {
    if (counter === undefined) continue;
    counts[countName({ kind, ...ladder(counter) })] = 1;
    for (const tool of new Set(counter.tools))
      counts[countName({ kind: ofTools, tool, detector: counter.detector, tenant: names.side.tenant })] = 1;
  }
  if (isCut) counts[countName({ kind: "acts", ...names.side, detector: "runaway-output", grade: "", rung: "cut" })] = 1;
  return counts;
}

/** The names that most exchanges count under, put together once. */
const namesFor = memoizeByRef(({ policy, placement }: RequestContext) => {
  const { arm = "", tenant } = placement;
  const side = { policy: policy.name, arm, tenant };
  const groups = arm === "" ? [undefined] : Array.from({ length: ROLLOUT_GROUPS }, (_, group) => group);
  return { side, byGroup: groups.map((group) => namesOf({ ...side, group })) };
});

const namesOf = (side: Omit<SpentCount, "kind"> & Pick<Count, "tenant">) => ({
  exchanges: countName({ kind: "exchanges", ...side }),
  sessions: countName({ kind: "sessions", ...side }),
  tokens: countName({ kind: "tokens", ...side }),
  outputTokens: countName({ kind: "outputTokens", ...side }),
  cachedTokens: countName({ kind: "cachedTokens", ...side }),
  loopTokens: countName({ kind: "loopTokens", ...side }),
  avoidedTokens: countName({ kind: "avoidedTokens", ...side }),
});

function usageCounts(names: ReturnType<typeof namesOf>, usage: TokenUsage): Record<string, number> {
  const { inputTokens, outputTokens, cachedTokens, inLoop, avoided, sessions } = usage;
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
