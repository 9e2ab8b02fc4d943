import { createServer } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { spanFacts, wantsTraces } from "../../src/admin/telemetry.ts";
import { served } from "../cli/command.ts";
import { reportOf } from "../support/builders/report.ts";
import { collector } from "../support/servers/collector.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { closing, listening } from "../support/servers/http.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";

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
    const rows = [
      ["https://x.openai.azure.com", "chat-completions", "azure.ai.openai"],
      ["https://api.groq.com/openai", "chat-completions", "groq"],
      ["http://127.0.0.1:11434", "chat-completions", "openai"],
      ["https://gateway.example", "messages", "anthropic"],
      ["http://127.0.0.1:11434", "ollama", "ollama"],
      ["https://us-east5-aiplatform.googleapis.com", "messages", "gcp.vertex_ai"],
      ["https://aiplatform.eu.rep.googleapis.com", "messages", "gcp.vertex_ai"],
      ["https://generativelanguage.googleapis.com", "gemini", "gcp.gemini"],
      ["https://notopenai.com.evil.example", "responses", "openai"],
    ] as const;
    for (const [upstream, wire, provider] of rows)
      expect(spanFacts({ ...report, upstream: new URL(upstream), wire }).attributes["gen_ai.provider.name"]).toBe(
        provider,
      );
    const { attributes } = spanFacts({ ...report, wire: "messages", upstream: undefined });
    expect(attributes["gen_ai.provider.name"]).toBe("anthropic");
    expect(Object.keys(attributes).filter((name) => /^(server|http)\./.test(name))).toEqual([]);
    const errorOf = (change: object) => spanFacts({ ...report, ...change }).attributes["error.type"];
    expect(errorOf({ status: 0, failure: "upstream_timeout" })).toBe("upstream_timeout");
    expect(errorOf({ status: 429 })).toBe("429");
  });
});

it("traces are made where the standard variables ask for them", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
  const asking = [
    endpoint,
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" },
    { OTEL_TRACES_EXPORTER: "otlp" },
  ];
  const others = [{}, { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, { ...endpoint, OTEL_SDK_DISABLED: "true" }];
  expect([...asking, ...others].filter(wantsTraces)).toEqual(asking);
});

async function chat(url: string, messages: readonly object[], headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-secret", ...headers },
    body: JSON.stringify({ model: "gpt-x", messages }),
  });
  await answer.text();
  return answer.status;
}

describe("a guard with a collector", () => {
  it("sends a span for each exchange, in the client's trace, with what the guard did, no text and no key", async () => {
    const upstream = await scriptedUpstream(looping("nothing"));
    onTestFinished(upstream.close);
    const { url: endpoint, spans, bodies } = await collector();
    const { url, child, finished } = await served(upstream.url, [], {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_SERVICE_NAME: "guard-of-team-a",
    });
    const trace = "0af7651916cd43dd8448eb211c80319c";
    const fields = { traceparent: `00-${trace}-b7ad6b7169203331-01`, "x-unloop-session": "run" };
    await wireAgent(chatCompletionsWire, { url, upstream, fields, model: "gpt-x", stream: true }).turns(3);
    // The last spans of a guard that is stopped have two seconds, which a busy machine may not have.
    await vi.waitFor(() => expect(spans()).toHaveLength(3));
    child.kill("SIGTERM");
    await finished;
    for (const span of spans()) {
      expect(span).toMatchObject({ kind: 3, traceId: trace, parentSpanId: "b7ad6b7169203331" });
      expect(span.service).toBe("guard-of-team-a");
    }
    expect(spans()[0]?.name).toBe("chat gpt-x");
    const verdicts = spans().map(({ attributes }) => attributes["unloop.verdict"]);
    expect(verdicts).toEqual(["ok", "ok", "nudge"]);
    expect(spans()[2]?.attributes).toMatchObject({
      "gen_ai.conversation.id": "run",
      "gen_ai.response.finish_reasons": expect.anything(),
      "gen_ai.usage.input_tokens": expect.anything(),
      "server.address": "127.0.0.1",
      "unloop.rung": "nudge",
      "unloop.detector": "repeated-call",
      "unloop.loop": expect.any(String),
    });
    expect(bodies().join()).not.toMatch(/sk-test|Paris|morning|helpful|search/);
  });

  it("goes on when the collector takes everything and never answers, and ends all the same", {
    timeout: 60_000,
  }, async () => {
    const upstream = await scriptedUpstream(healthy(0));
    onTestFinished(upstream.close);
    let taken = 0;
    const silent = createServer(() => {
      taken += 1;
    });
    onTestFinished(() => closing(silent));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await listening(silent), OTEL_BSP_SCHEDULE_DELAY: "10" };
    const { url, child, finished } = await served(upstream.url, [], env);
    for (let i = 0; i < 20; i += 1) expect(await chat(url, [{ role: "user", content: `hi ${i}` }])).toBe(200);
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 0 });
    // The exporter's own patience would be ten seconds, and the connection is still open.
    expect(taken).toBeGreaterThan(0);
  });
});
