import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { bodyOf, closing, listening } from "./http.ts";

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OpenTelemetry collector on loopback that understands OTLP over HTTP with JSON. */
export async function collector(): Promise<{
  url: string;
  spans(): readonly CollectedSpan[];
  bodies(): readonly string[];
}> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body.toString());
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  onTestFinished(() => closing(server));
  return { url: await listening(server), bodies: () => bodies, spans: () => bodies.flatMap(spansIn) };
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "attributes"> & { attributes: Attributes })[];
    }[];
  }[];
}

function spansIn(body: string): readonly CollectedSpan[] {
  const { resourceSpans }: Export = JSON.parse(body);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: record(span.attributes),
        service: record(resource.attributes)["service.name"],
      })),
    ),
  );
}

function record(attributes: Attributes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
