import { inspect } from "../../engine/engine.ts";
import { chooseRung } from "../../policy/policy.ts";
import { interventionFor } from "./advance.ts";
import type { EvaluationContext, Ledger, PositionedIntervention } from "./ledger.ts";

/**
 * A request that carries no step yet, of a session that is past its hard end: a sub-agent's first one, say. No step can
 * be told anything, so it is the last rung or none.
 */
export function refusedAtOnce(
  { total, memory, language }: Ledger,
  evaluation: EvaluationContext,
): PositionedIntervention | undefined {
  const { policy, elsewhere = 0, usage = {} } = evaluation;
  const findings = inspect({ window: [], total, requestedRepeats: 0, elsewhere, usage }).filter(
    ({ limit }) => limit !== undefined,
  );
  const { decision } = chooseRung(findings, memory, policy, { at: total, userSpoke: false });
  if (decision?.rung !== "short-circuit") return undefined;
  return { intervention: interventionFor(decision, { key: "" }, total, language), step: -1, about: -1 };
}
