import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "@opentelemetry/api";
import type { ExchangeReport } from "../proxy/proxy.ts";

const OPERATION = "chat";

const PROVIDERS: readonly (readonly [host: RegExp, name: string])[] = [
  [/(^|\.)api\.openai\.com$/, "openai"],
  [/\.openai\.azure\.com$/, "azure.ai.openai"],
  [/\.services\.ai\.azure\.com$/, "azure.ai.inference"],
  [/(^|\.)anthropic\.com$/, "anthropic"],
  [/(^|\.)mistral\.ai$/, "mistral_ai"],
  [/(^|\.)groq\.com$/, "groq"],
  [/(^|\.)deepseek\.com$/, "deepseek"],
  [/(^|\.)x\.ai$/, "x_ai"],
  [/(^|\.)perplexity\.ai$/, "perplexity"],
  [/(^|\.)cohere\.(ai|com)$/, "cohere"],
  [/(^|\.)generativelanguage\.googleapis\.com$/, "gcp.gemini"],
  [/(^|[-.])aiplatform\.(\w+\.rep\.)?googleapis\.com$/, "gcp.vertex_ai"],
  [/\.googleapis\.com$/, "gcp.gen_ai"],
  [/\.amazonaws\.com$/, "aws.bedrock"],
];

const MAKERS: Readonly<Record<string, string>> = { messages: "anthropic", ollama: "ollama", gemini: "gcp.gemini" };

/** A span by OpenTelemetry's GenAI semantic conventions, with what the guard did under `unloop.*`, before any SDK. */
export function spanFacts(report: ExchangeReport) {
  const { model, wire, upstream, usage, firstByteMs, finishReason, placement, intervention } = report;
  const error = report.failure ?? (report.status >= 400 ? String(report.status) : undefined);
  const attributes = {
    "gen_ai.operation.name": OPERATION,
    "gen_ai.provider.name": providerOf(upstream, wire),
    "gen_ai.conversation.id": report.session,
    "gen_ai.request.model": model,
    "gen_ai.response.id": report.responseId,
    "gen_ai.response.model": report.responseModel,
    "gen_ai.response.finish_reasons": finishReason === undefined ? undefined : [finishReason],
    "gen_ai.response.time_to_first_chunk": firstByteMs === undefined ? undefined : firstByteMs / 1000,
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    // Of an answer of the guard's own there is no server.
    ...(upstream && {
      "server.address": upstream.hostname,
      "server.port": Number(upstream.port) || (upstream.protocol === "https:" ? 443 : 80),
      "http.response.status_code": report.status === 0 ? undefined : report.status,
    }),
    "unloop.wire": wire,
    "unloop.mode": report.mode,
    "unloop.policy": report.policy,
    "unloop.rule": placement.rule,
    "unloop.arm": placement.arm,
    "unloop.tenant": placement.tenant,
    "unloop.verdict": report.verdict,
    "unloop.rung": intervention?.rung,
    "unloop.detector": intervention?.detector,
    "unloop.count": intervention?.count,
    "unloop.loop": intervention?.loop,
    "unloop.cut": report.cut || undefined,
    "unloop.processing_ms": report.ownMs,
    "error.type": error,
  };
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    name: model === undefined ? OPERATION : `${OPERATION} ${model}`,
    attributes: Object.fromEntries(given) as Record<string, string | number | boolean | string[]>,
    error,
  };
}

/** The API's maker where its host is known, else whose wire format it speaks. */
function providerOf(upstream: URL | undefined, wire: string): string {
  const provider = PROVIDERS.find(([host]) => host.test(upstream?.hostname ?? ""))?.[1];
  return provider ?? MAKERS[wire] ?? "openai";
}

export function wantsTraces(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || env.OTEL_TRACES_EXPORTER === "none") return false;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return Boolean(endpoint || env.OTEL_TRACES_EXPORTER === "otlp");
}

/** Deadline for the last spans at shutdown: a pod's grace period is meant for streams. */
const CLOSING_MS = 2_000;

/** One span for each guarded exchange, by OTLP over HTTP, behind the answer's last byte. The SDK reads the standard variables. */
export async function tracing(version: string) {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode } = await import("@opentelemetry/api");
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const resources = await import("@opentelemetry/resources");
  const { BasicTracerProvider, BatchSpanProcessor } = await import("@opentelemetry/sdk-trace-base");
  const provider = new BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ "service.name": "unloop", "service.version": version }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("unloop", version);
  const propagator = new W3CTraceContextPropagator();
  const parentOf = ({ traceparent, tracestate }: ExchangeReport): Context => {
    if (traceparent === undefined) return ROOT_CONTEXT;
    const carrier: Readonly<Record<string, string>> = { traceparent, ...(tracestate !== undefined && { tracestate }) };
    return propagator.extract(ROOT_CONTEXT, carrier, { get: (from, key) => from[key], keys: Object.keys });
  };
  return {
    observe(report: ExchangeReport): void {
      const { name, attributes, error } = spanFacts(report);
      const end = Date.now();
      const startTime = end - report.durationMs;
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parentOf(report));
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
    /** Sends what is still waiting, or gives it up. Never rejects. */
    async close(): Promise<void> {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(CLOSING_MS, undefined, { ref: false })]);
    },
  };
}
