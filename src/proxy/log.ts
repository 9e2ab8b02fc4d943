import type { Log, MeteredUsage, Observed, Verdict } from "../evaluation/evaluation.ts";
import { failureCode } from "./failure-code.ts";

/** One line for each guarded exchange. `status` is 0 when no answer came, `broke` says why one broke off. */
export function logExchange(
  log: Log,
  { verdict, label: session, source, steps, intervention, counter }: Verdict,
  { status, answer, failure, runaway }: Observed,
  ownMs: number,
  billed?: MeteredUsage,
): void {
  // Of all that upstream was asked for this exchange; `estimated` where it did not count.
  const used = billed ?? answer?.usage;
  // Written out, since it is made for every exchange: spreads would cost more than the line itself.
  const facts = {
    verdict,
    session,
    source,
    steps,
    status,
    ownMs: Math.round(ownMs * 100) / 100,
    finish: answer?.finishReason,
    broke: failure === undefined ? undefined : failureCode(failure),
    runaway,
    inputTokens: used?.inputTokens,
    outputTokens: used?.outputTokens,
    cachedInputTokens: used?.cachedInputTokens,
    cost: billed && billed.cost / 1_000_000,
    estimated: billed?.estimated || undefined,
    detector: intervention?.detector,
    rung: intervention?.rung,
    count: intervention?.count,
    repeats: intervention?.repeats,
    step: intervention?.at,
    tools: intervention?.tools,
    note: intervention?.note,
    foreseen: intervention?.foreseen,
    counter,
  };
  log.info(facts, "exchange");
}
