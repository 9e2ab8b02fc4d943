import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExchangeObserver, ExchangeReport } from "../../proxy/proxy.ts";
import { spanFacts } from "./span-facts.ts";

/** Traces on their way to a collector. */
export interface Tracing {
  readonly observe: ExchangeObserver;
  /** Sends what is still waiting, or gives it up. Never rejects. */
  close(): Promise<void>;
}

/**
 * One span for each guarded exchange, by OTLP over HTTP. The SDK reads the standard variables: endpoint, headers, sampler, batch,
 * service name. Spans are made behind the answer's last byte and sent in batches; a collector that is down costs spans alone.
 */
export function tracing(version: string): Tracing {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "unloop", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("unloop", version);
  return {
    observe(report) {
      const { name, attributes, error } = spanFacts(report);
      const end = Date.now();
      const startTime = end - report.durationMs;
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parentOf(report));
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
    async close() {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(CLOSING_MS, undefined, { ref: false })]);
    },
  };
}

/** Deadline for the last spans at shutdown: a pod's grace period is meant for streams. */
const CLOSING_MS = 2_000;

const propagator = new W3CTraceContextPropagator();

/** The client's own span, where it says so. */
function parentOf({ traceparent, tracestate }: ExchangeReport): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const carrier: Record<string, string> = { traceparent, ...(tracestate !== undefined && { tracestate }) };
  return propagator.extract(ROOT_CONTEXT, carrier, {
    get: (from, key) => (from as Record<string, string>)[key],
    keys: (from) => Object.keys(from as object),
  });
}
