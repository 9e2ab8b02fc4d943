import { UnloopError } from "../errors.ts";
import { failureCode } from "./failure-code.ts";
import type { MeteredUsage } from "../evaluation/usage-meter.ts";
import type { Observed } from "./relay/observe.ts";
import type { Verdict } from "./relay/verdict.ts";

/** Facts with names; never a text of the conversation, never a credential. */
export interface Log {
  debug(facts: object, event: string): void;
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

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
    cachedInputTokens: answer?.usage?.cachedInputTokens,
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

/** An error's kind and place; its message may quote what it stumbled over. */
export function factsOf(error: unknown): object {
  if (error instanceof UnloopError) return { code: error.code, ...error.facts };
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = error.stack?.split("\n").filter((line) => line.trimStart().startsWith("at "));
  return { error: error.name, at: frames?.slice(0, 3) };
}
