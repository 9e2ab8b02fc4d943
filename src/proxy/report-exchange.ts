import {
  type Evaluation,
  type ExchangeOutcome,
  finalVerdict,
  type SpeculativeOutcome,
} from "../evaluation/evaluation.ts";
import type { ReportedExchange } from "./exchange-report.ts";
import { logExchange } from "./log.ts";
import { countExchange } from "./meter.ts";

interface Measured {
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  /** Undefined: it was judged before it was forwarded. */
  readonly speculative: SpeculativeOutcome | undefined;
  /** Undefined where nobody observes exchanges. */
  readonly reported: ReportedExchange | undefined;
}

/** Reports an exchange that is over: in metrics, in the log, and to the observer. */
export function reportExchange(
  evaluation: Evaluation,
  outcome: ExchangeOutcome,
  { ownMs, speculative, reported }: Measured,
): void {
  const { context, read, usageMeter } = evaluation;
  const verdict = finalVerdict(evaluation.action.verdict, outcome, context.mode);
  const isStepless = evaluation.noteStepless();
  countExchange({ verdict, outcome, ownMs, isStepless, read, speculative }, context);
  logExchange(context.log, verdict, outcome, ownMs, usageMeter?.total());
  reported?.report({ evaluation, verdict, outcome, ownMs });
}
