import { describe, expect, it, vi } from "vitest";
import { spanFacts, wantsTraces } from "../../src/admin/telemetry.ts";
import { served } from "../cli/command.ts";
import { agent, post } from "../proxy/guard-rig.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { reportOf } from "../support/builders/report.ts";
import { bodyOf } from "../support/servers/http.ts";
import { serverOf, upstreamOf } from "../support/servers/of-test.ts";

const report = reportOf();

describe("a span's facts", () => {
  it("are those of OpenTelemetry's GenAI conventions", () => {
    expect(spanFacts(report)).toEqual({
      name: "chat gpt-x",
      error: undefined,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.conversation.id": "s",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.id": "r",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.response.time_to_first_chunk": 0.25,
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.usage.cache_read.input_tokens": 1,
        "server.address": "api.openai.com",
        "server.port": 443,
        "http.response.status_code": 200,
        "unloop.wire": "chat-completions",
        "unloop.mode": "enforce",
        "unloop.policy": "default",
        "unloop.verdict": "ok",
        "unloop.processing_ms": 0.5,
      },
    });
  });

  it("name the provider by its host, else by its wire, and no server where nothing was sent; a code of ours or a status is the error", () => {
    const attributesOf = (change: object) => spanFacts({ ...report, ...change }).attributes;
    for (const [upstream, wire, provider] of [
      ["https://x.openai.azure.com", "chat-completions", "azure.ai.openai"],
      ["https://api.groq.com/openai", "chat-completions", "groq"],
      ["http://127.0.0.1:11434", "chat-completions", "openai"],
      ["https://gateway.example", "messages", "anthropic"],
      ["http://127.0.0.1:11434", "ollama", "ollama"],
      ["https://us-east5-aiplatform.googleapis.com", "messages", "gcp.vertex_ai"],
      ["https://aiplatform.eu.rep.googleapis.com", "messages", "gcp.vertex_ai"],
      ["https://generativelanguage.googleapis.com", "gemini", "gcp.gemini"],
      ["https://notopenai.com.evil.example", "responses", "openai"],
    ] as const)
      expect(attributesOf({ upstream: new URL(upstream), wire })["gen_ai.provider.name"], upstream).toBe(provider);
    const unsent = attributesOf({ wire: "messages", upstream: undefined });
    expect(unsent["gen_ai.provider.name"]).toBe("anthropic");
    expect(Object.keys(unsent).filter((name) => /^(server|http)\./.test(name))).toEqual([]);
    expect(attributesOf({ status: 0, failure: "upstream_timeout" })["error.type"]).toBe("upstream_timeout");
    expect(attributesOf({ status: 429 })["error.type"]).toBe("429");
  });
});

it("traces are made where the standard variables ask for them", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" };
  const asking = [endpoint, traces, { OTEL_TRACES_EXPORTER: "otlp" }];
  const others = [{}, { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, { ...endpoint, OTEL_SDK_DISABLED: "true" }];
  expect([...asking, ...others].filter(wantsTraces)).toEqual(asking);
});

interface Attributes {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}
interface ResourceSpans {
  readonly resource: Attributes;
  readonly scopeSpans: readonly { readonly spans: readonly Attributes[] }[];
}
const record = ({ attributes }: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

async function collector() {
  const bodies: string[] = [];
  const endpoint = await serverOf(async (request, response) => {
    bodies.push(String(await bodyOf(request)));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const spansOf = ({ resource, scopeSpans }: ResourceSpans) => {
    const service = record(resource)["service.name"];
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, attributes: record(span), service })));
  };
  const spans = () => bodies.flatMap((body) => (JSON.parse(body).resourceSpans as ResourceSpans[]).flatMap(spansOf));
  return { endpoint, bodies, spans };
}

describe("a guard with a collector", () => {
  it("sends a span for each exchange, in the client's trace, with what the guard did, no text and no key", async () => {
    const upstream = await upstreamOf(looping("nothing"));
    const { endpoint, spans, bodies } = await collector();
    const { url, child, finished } = await served(upstream.url, [], {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_SERVICE_NAME: "guard-of-team-a",
    });
    const [traceId, parentSpanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const headers = { traceparent: `00-${traceId}-${parentSpanId}-01`, "x-unloop-session": "run" };
    await agent({ url, upstream, headers, extra: { stream: true, stream_options: { include_usage: true } } }).turns(3);
    // The last spans of a guard that is stopped have two seconds, which a busy machine may not have.
    await vi.waitFor(() => expect(spans()).toHaveLength(3));
    child.kill("SIGTERM");
    await finished;
    const common = { name: "chat gpt-4o", kind: 3, traceId, parentSpanId, service: "guard-of-team-a" };
    const made = {
      "gen_ai.conversation.id": "run",
      "gen_ai.response.finish_reasons": expect.anything(),
      "gen_ai.usage.input_tokens": expect.anything(),
      "server.address": "127.0.0.1",
    };
    const found = { "unloop.detector": "repeated-call", "unloop.loop": expect.any(String) };
    expect(spans()).toMatchObject([
      { ...common, attributes: { "unloop.verdict": "ok" } },
      { ...common, attributes: { "unloop.verdict": "ok" } },
      { ...common, attributes: { ...made, ...found, "unloop.verdict": "nudge", "unloop.rung": "nudge" } },
    ]);
    expect(bodies.join()).not.toMatch(/sk-test|Paris|morning|helpful|search/);
  });

  it("goes on when the collector takes everything and never answers, and ends all the same", {
    timeout: 60_000,
  }, async () => {
    const upstream = await upstreamOf(healthy(0));
    let taken = 0;
    const silent = await serverOf(() => {
      taken += 1;
    });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: silent, OTEL_BSP_SCHEDULE_DELAY: "10" };
    const { url, child, finished } = await served(upstream.url, [], env);
    for (let i = 0; i < 20; i += 1)
      expect((await post(url, `{"messages":[{"role":"user","content":"hi ${i}"}]}`)).status).toBe(200);
    child.kill("SIGTERM");
    // The exporter's own patience would be ten seconds, and the connection is still open.
    expect(await finished).toMatchObject({ code: 0 });
    expect(taken).toBeGreaterThan(0);
  });
});
