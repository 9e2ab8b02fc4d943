import {
  type Evaluation,
  type ExchangeOutcome,
  finalVerdict,
  type Log,
  type MeteredUsage,
  type Observed,
  type Verdict,
} from "../evaluation/evaluation.ts";
import type { ReportedExchange } from "./exchange-report.ts";
import { failureCode } from "./failure-code.ts";

interface Measured {
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  /** Undefined where nobody observes exchanges. */
  readonly reported: ReportedExchange | undefined;
}

/** Reports an exchange that is over: in metrics, in the log, and to the observer. */
export function reportExchange(evaluation: Evaluation, outcome: ExchangeOutcome, { ownMs, reported }: Measured): void {
  const { context, read, usageMeter } = evaluation;
  const { meter, mode, log, placement } = context;
  const verdict = finalVerdict(evaluation.action.verdict, outcome, mode);
  // What the API did not answer is sent again, and tells no more than before.
  const isStepless = outcome.answer !== undefined && evaluation.noteStepless();
  meter.exchange(verdict.verdict, ownMs / 1000, isStepless, read, placement);
  if (verdict.intervention !== undefined) meter.intervention(verdict.verdict, verdict.intervention.detector, placement);
  if (outcome.runaway !== undefined)
    meter.intervention(mode === "observe" ? "observe:cut" : "cut", "runaway-output", placement);
  logExchange(log, verdict, outcome, ownMs, usageMeter?.total());
  reported?.report({ evaluation, verdict, outcome, ownMs });
}

/** One line for each guarded exchange. `status` is 0 when no answer came, `broke` says why one broke off. */
function logExchange(
  log: Log,
  { verdict, label: session, source, steps, read, intervention, counter }: Verdict,
  { status, answer, failure, runaway }: Observed,
  ownMs: number,
  billed: MeteredUsage | undefined,
): void {
  // Of all that upstream was asked for this exchange; `estimated` where it did not count.
  const used = billed ?? answer?.usage;
  // Written out, since it is made for every exchange: spreads would cost more than the line itself.
  const facts = {
    verdict,
    session,
    source,
    steps,
    read,
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
