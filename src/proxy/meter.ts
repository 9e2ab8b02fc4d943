import type {
  ExchangeOutcome,
  HowRead,
  RequestContext,
  SpeculativeOutcome,
  Verdict,
} from "../evaluation/evaluation.ts";

/** An exchange that is over. */
interface ExchangeCounts {
  readonly verdict: Verdict;
  readonly outcome: Pick<ExchangeOutcome, "runaway">;
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  readonly isStepless: boolean;
  readonly read: HowRead;
  /** Undefined: it was judged before it was forwarded. */
  readonly speculative: SpeculativeOutcome | undefined;
}

export function countExchange(
  { verdict: { verdict, intervention }, outcome: { runaway }, ownMs, isStepless, read, speculative }: ExchangeCounts,
  { meter, mode }: Pick<RequestContext, "meter" | "mode">,
): void {
  meter.exchange(verdict, ownMs / 1000, isStepless, read);
  if (speculative !== undefined) meter.forwardedFirst?.(speculative);
  if (intervention !== undefined) meter.intervention(verdict, intervention.detector);
  if (runaway !== undefined) meter.intervention(mode === "observe" ? "observe:cut" : "cut", "runaway-output");
}
