import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from "@ai-sdk/provider";
import type { CompletedTurn } from "../in-process/in-process.ts";

export function wireReason({ unified }: LanguageModelV3FinishReason): string {
  return unified.replace("-", "_");
}

export function ownFinish(calls: boolean): LanguageModelV3FinishReason {
  return { unified: calls ? "tool-calls" : "stop", raw: undefined };
}

export function used({
  inputTokens,
  outputTokens,
}: LanguageModelV3Usage): Pick<CompletedTurn, "inputTokens" | "outputTokens"> {
  return { inputTokens: inputTokens.total, outputTokens: outputTokens.total };
}

const nothing = { inputTokens: {}, outputTokens: {} } as LanguageModelV3Usage;

/** Usage of all answers together; that of a single answer is its own. */
export function modelUsage(usages: readonly LanguageModelV3Usage[]): LanguageModelV3Usage {
  return usages.reduce<LanguageModelV3Usage>(
    (a, b) => ({
      ...b,
      inputTokens: summed(a.inputTokens, b.inputTokens),
      outputTokens: summed(a.outputTokens, b.outputTokens),
    }),
    nothing,
  );
}

function summed<Counts extends Readonly<Record<string, number | undefined>>>(a: Counts, b: Counts): Counts {
  const sums = Object.entries(b).map(([name, count]) => [name, a[name] === undefined ? count : a[name] + (count ?? 0)]);
  return Object.fromEntries(sums);
}
