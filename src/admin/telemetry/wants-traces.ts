type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the standard variable asks for OpenTelemetry's own metrics where Prometheus reads the guard's. */
export function wantsGenAiMetrics(env: Environment): boolean {
  return env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" && env.OTEL_METRICS_EXPORTER === "prometheus";
}

/** Whether the standard OpenTelemetry variables ask for traces. */
export function wantsTraces(env: Environment): boolean {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || env.OTEL_TRACES_EXPORTER === "none";
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return !isOff && Boolean(endpoint || env.OTEL_TRACES_EXPORTER === "otlp");
}
