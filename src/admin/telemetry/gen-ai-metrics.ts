import type { ExchangeObserver } from "../../proxy/proxy.ts";
import { errorOf, OPERATION, providerOf } from "./span-facts.ts";

/** Histogram of prom-client. */
interface Histogram {
  observe(labels: Readonly<Record<string, string>>, value: number): void;
}

/** Behind OpenTelemetry's GenAI metrics. */
export interface GenAiHistograms {
  readonly tokenUsage: Histogram;
  readonly operationDuration: Histogram;
}

/** Models that have series of their own; those of later ones are `(other)`. */
const MOST_MODELS = 50;

/** Counts for OpenTelemetry's GenAI metrics. What is answered here was no operation of a client's. */
export function genAiObserver({ tokenUsage, operationDuration }: GenAiHistograms): ExchangeObserver {
  const models = new Set<string>();
  return (report) => {
    const { wire, upstream, responseModel, usage, durationMs } = report;
    if (upstream === undefined) return;
    if (responseModel !== undefined && models.size < MOST_MODELS) models.add(responseModel);
    const isShown = responseModel === undefined || models.has(responseModel);
    const labels = {
      gen_ai_operation_name: OPERATION,
      gen_ai_provider_name: providerOf(upstream, wire),
      ...(responseModel !== undefined && { gen_ai_response_model: isShown ? responseModel : "(other)" }),
    };
    const error = errorOf(report);
    operationDuration.observe({ ...labels, ...(error !== undefined && { error_type: error }) }, durationMs / 1_000);
    if (usage === undefined) return;
    tokenUsage.observe({ ...labels, gen_ai_token_type: "input" }, usage.inputTokens);
    tokenUsage.observe({ ...labels, gen_ai_token_type: "output" }, usage.outputTokens);
  };
}
