import { fingerprintOf } from "../../engine/engine.ts";
import type { Conversation, Step } from "../../step.ts";
import type { EvaluationContext, RelayedAnswer } from "./ledger.ts";

const NOTHING_HEARD: ReadonlySet<string> = new Set();

/** What is kept of an answer as it was relayed; undefined where the next request will tell itself what the answer did. */
export function relayedAnswer(
  step: Step | undefined,
  { isUntold, steps }: Conversation,
  { sign, policy }: EvaluationContext,
): RelayedAnswer | undefined {
  if (step === undefined || isUntold !== true) return undefined;
  return { fingerprint: fingerprintOf(step, sign, policy.tools, NOTHING_HEARD), at: steps.length };
}
