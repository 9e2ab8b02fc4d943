import { tokenTally } from "../../session/session.ts";
import type { Observed } from "../outcome.ts";

/** Usage of a judge's answer, estimated where the endpoint gives none; a question that was never answered counts as asked. */
export function tokensOf(observed: Observed | undefined, question: string): number {
  const usage = observed?.answer?.usage;
  if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
  const tally = tokenTally();
  tally.add(question);
  return tally.tokens();
}
