import { describe, expect, it, onTestFinished, vi } from "vitest";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { genAiObserver } from "../../src/admin/telemetry.ts";
import type { ExchangeReport } from "../../src/proxy/proxy.ts";
import { served } from "../cli/command.ts";
import { reportOf } from "../support/builders/report.ts";
import { looping } from "../support/agents/scripts.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import { collector } from "../support/servers/collector.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";

const report = reportOf({
  upstream: new URL("https://api.groq.com/openai"),
  responseModel: undefined,
  usage: { inputTokens: 300, outputTokens: 5 },
  durationMs: 100,
});

async function exposed(reports: readonly Partial<ExchangeReport>[]): Promise<string> {
  const metrics = promMetrics();
  const observe = genAiObserver(metrics.genAi());
  for (const one of reports) observe({ ...report, ...one });
  return (await metrics.read()).text;
}

describe("GenAI metrics", () => {
  it("tell of tokens and time by model and provider, with the conventions' buckets", async () => {
    const text = await exposed([{ responseModel: "llama" }, { status: 429, usage: undefined }]);
    const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_response_model="llama"';
    const tokens = (le: string, kind: string) =>
      `gen_ai_client_token_usage_bucket{le="${le}",${labels},gen_ai_token_type="${kind}"}`;
    expect(text).toContain(`${tokens("256", "input")} 0\n${tokens("1024", "input")} 1\n`);
    expect(text).toContain(`${tokens("4", "output")} 0\n${tokens("16", "output")} 1\n`);
    expect(text).toContain(`gen_ai_client_operation_duration_seconds_bucket{le="0.16",${labels}} 1\n`);
    expect(text).toContain('le="67108864"');
    expect(text).toContain('le="81.92"');
    expect(text).toMatch(/duration_seconds_count\{.*error_type="429"\} 1/);
    expect(text.match(/token_usage_count/g)).toHaveLength(2);
  });

  it("give 50 models series of their own, however many an upstream names", async () => {
    const text = await exposed(Array.from({ length: 80 }, (_, i) => ({ responseModel: `m${i}` })));
    const counts = [...text.matchAll(/duration_seconds_count\{.*response_model="([^"]*)"\} (\d+)/g)];
    expect(counts).toHaveLength(51);
    expect(counts.at(-1)?.slice(1)).toEqual(["(other)", "30"]);
  });
});

describe("a guard that is asked for them", () => {
  const looped = async (env: Readonly<Record<string, string>>) => {
    const upstream = await scriptedUpstream(looping("nothing"));
    onTestFinished(upstream.close);
    const { url, child, finished } = await served(upstream.url, [], env);
    onTestFinished(async () => {
      child.kill("SIGTERM");
      await finished;
    });
    const turns = await wireAgent(chatCompletionsWire, { url, upstream, model: "gpt-x" }).turns(12);
    const answeredHere = turns.filter(({ received }) => received.length === 0).length;
    return { answeredHere, turns: turns.length, metrics: await (await fetch(`${url}/unloop/metrics`)).text() };
  };

  it("counts what was sent, and neither counts nor traces to a server what it answers itself", {
    timeout: 30_000,
  }, async () => {
    const { url: endpoint, spans } = await collector();
    const { answeredHere, turns, metrics } = await looped({
      OTEL_METRICS_EXPORTER: "prometheus",
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "50",
    });
    expect(answeredHere).toBeGreaterThan(0);
    const counts = [...metrics.matchAll(/^gen_ai_client_operation_duration_seconds_count\{.*\} (\d+)$/gm)];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(turns - answeredHere);
    await vi.waitFor(() => expect(spans()).toHaveLength(turns));
    const nowhere = spans().filter(({ attributes }) => !("server.address" in attributes));
    expect(nowhere).toHaveLength(answeredHere);
    for (const { attributes } of nowhere) {
      expect(attributes["unloop.verdict"]).toBe("short-circuit");
      expect(Object.keys(attributes).filter((name) => /^(?:server|http)\./.test(name))).toEqual([]);
    }
  });
});
