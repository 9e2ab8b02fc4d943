import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AdminOptions, adminApp, operatorToken } from "../../src/admin/admin.ts";
import { isLoopback } from "../../src/text/loopback.ts";
import { guardOf, webTransport } from "../../src/index.ts";
import { agent } from "../proxy/agent.ts";
import { post } from "../proxy/guard-rig.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { bodyOf } from "../support/servers/http.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";

const token = "an admin's token of 30 letters";

/** The real server in front of a model, by default one that loops. */
async function guarded(env: Readonly<Record<string, string>> = {}, script: Script = looping("nothing")) {
  const upstream = await scriptedUpstream(script);
  onTestFinished(() => upstream.close());
  const { url, close } = await startGuard({ upstream: upstream.url, env });
  onTestFinished(close);
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}${path}`, { headers });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  };
  return { url, upstream, ask };
}

function app(options: Partial<AdminOptions>) {
  const metrics = async () => ({ contentType: "text/plain", text: 'unloop_store_state{state="up"} 1\n' });
  const guard = guardOf({ upstream: "http://127.0.0.1:1", transport: webTransport() });
  const api = {
    version: "0.1.0",
    stores: guard.context().stores,
    guard: guard.context,
    alerts: () => [],
    now: Date.now,
  };
  return adminApp({
    status: () => "ready",
    metrics,
    access: { tokens: () => [], local: operatorToken("loopback", "l".repeat(20)) },
    api,
    page: undefined,
    ...options,
  });
}

/** The path as it is written; fetch would tidy it up. */
async function raw(url: string, method: string, path: string) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path });
  sent.end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (answer === undefined) throw new Error("There is no answer.");
  return { status: answer.statusCode, text: String(await bodyOf(answer)) };
}

describe("health and readiness", () => {
  it("differ while the server drains: it is alive, and wants nothing new", async () => {
    const draining = app({ status: () => "draining" });
    const [ready, alive] = [await draining.request("/readyz"), await draining.request("/healthz")];
    expect([ready.status, await ready.json()]).toEqual([503, { status: "draining" }]);
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
  });
});

it("an operation that is asked with another method says which one it takes", async () => {
  for (const [method, path, allow] of [
    ["GET", "/api/dry-run", "POST"],
    ["DELETE", "/api/sessions/some", "GET"],
  ] as const) {
    const answer = await app({}).request(path, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    const message = `Ask with ${allow}, not with ${method}.`;
    expect(await answer.json()).toEqual({ error: { code: "wrong_method", message } });
  }
});

describe("metrics", () => {
  it("count exchanges by verdict, errors, bytes held and the guard's own time, with nothing of a conversation", async () => {
    const { url, upstream, ask } = await guarded({ UNLOOP_MAX_BODY_BYTES: "20000" });
    await agent({ url, upstream, headers: { "x-unloop-session": "run-4711" } }).turns(7);
    await fetch(`${url}/v1/models`);
    await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "x".repeat(20_001) });
    const { status, type, text } = await ask("/unloop/metrics");
    expect(status).toBe(200);
    expect(type).toContain("text/plain");
    const counted = text.split("\n").filter((line) => line.startsWith("unloop_exchanges_total"));
    expect(counted.sort()).toEqual([
      'unloop_exchanges_total{verdict="nudge"} 1',
      'unloop_exchanges_total{verdict="ok"} 3',
      'unloop_exchanges_total{verdict="short-circuit"} 3',
    ]);
    expect(text).toContain('unloop_interventions_total{rung="nudge",detector="repeated-call"} 1');
    expect(text).toContain("unloop_processing_seconds_count 7");
    expect(text).toContain("unloop_store_failures_total 0");
    expect(text).toContain('unloop_store_state{state="up"} 1');
    expect(text).toContain("process_cpu_seconds_total");
    expect(text).toContain('unloop_held_bytes{of="bodies"} 0');
    expect(text).toMatch(/unloop_held_bytes\{of="store"\} [1-9]\d{2}/);
    expect(text).toContain('unloop_errors_total{code="body_too_large"} 1');
    expect(text).toContain('unloop_errors_total{code="overloaded"} 0');
    expect(text).not.toMatch(/sk-test|Paris|morning|run-4711/);
  });

  it("count what passes by endpoint, under few names whatever is asked", async () => {
    const { url, ask } = await guarded({}, () => ({ kind: "text", text: "Hm." }));
    const asked = {
      completions: ["/v1/completions", "/openai/deployments/x/completions?api-version=1"],
      assistants: ["/v1/threads/t_1/runs", "/v1/threads/runs"],
      "cohere-chat": ["/v1/chat", "/v2/chat"],
      bedrock: ["/model/anthropic.claude%3A0/converse-stream", "/model/x/invoke"],
      "ollama-generate": ["/api/generate"],
      "raw-predict": ["/v1/projects/p/locations/global/publishers/mistralai/models/m:rawPredict"],
      other: ["/v1/embeddings", "/nobody/knows", "/v1/messages/batches"],
      "unread-shape": ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat"],
    };
    for (const path of Object.values(asked).flat())
      await (await fetch(url + path, { method: "POST", body: "{}" })).text();
    const { text } = await ask("/unloop/metrics");
    const counted = [...text.matchAll(/^unloop_unguarded_requests_total\{endpoint="(.*)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counted.map(([, endpoint, count]) => [endpoint, Number(count)]))).toEqual(
      Object.fromEntries(Object.entries(asked).map(([endpoint, { length }]) => [endpoint, length])),
    );
  });

  it("count exchanges of a client that never tells a step from the fifth on, and none of one that does", async () => {
    const { url, upstream, ask } = await guarded({}, healthy(7));
    await agent({ url, upstream }).turns(8);
    for (let count = 0; count < 7; count += 1) {
      const messages = [
        { role: "system", content: "You plan." },
        { role: "user", content: `State number ${count}` },
      ];
      await post(url, JSON.stringify({ model: "m", messages }));
    }
    await vi.waitFor(async () =>
      expect((await ask("/unloop/metrics")).text).toContain("unloop_untold_exchanges_total 3"),
    );
  });
});

describe("the admin token", () => {
  it("is needed where others than this machine can ask: without one the metrics stay shut, and say how to open", async () => {
    const refused = await app({ access: { tokens: () => [], local: undefined } }).request("/metrics");
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("UNLOOP_ADMIN_TOKEN")]);
    const own = ["127.0.0.1", "127.8.9.10", "localhost", "::1"];
    const others = ["0.0.0.0", "::", "192.168.1.7", "guard.internal", "127.example.com", "localhost.example.com"];
    expect([...own, ...others].filter(isLoopback)).toEqual(own);
  });
});

describe("nothing under /unloop reaches the upstream", () => {
  const asked = [
    ...["/unloop/v1/models", "/unloop/v1/unloop", "/unloop/assets/report.ts", "/unloop/assets/..%2findex.html"],
    ...["/unloop//healthz", "/unloop/%2e%2e/v1/models", "/unloop/../v1/models"],
  ].map((path) => ["GET", path] as const);

  it("whatever its method and its path", async () => {
    const { url, upstream } = await guarded();
    const others = ["POST /unloop", "POST /unloop/v1/chat/completions", "POST /unloop/metrics", "OPTIONS /unloop/x"];
    for (const [method = "", path = ""] of [...asked, ...others.map((one) => one.split(" "))]) {
      const { status, text } = await raw(url, method, path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(JSON.parse(text), path).toMatchObject({ error: { code: expect.any(String) } });
    }
    expect(upstream.requests).toEqual([]);
    // What only looks like it does.
    for (const path of ["/unlooped/v1/models", "/v1/unloop/models"]) await fetch(url + path);
    expect(upstream.requests.map(({ target }) => target)).toEqual(["/unlooped/v1/models", "/v1/unloop/models"]);
  });

  it("is the page at /unloop, which nobody else may frame or add to", async () => {
    const { url } = await guarded({ UNLOOP_ADMIN_TOKEN: token });
    for (const path of ["/unloop", "/unloop/", "/unloop?x=1"]) {
      const answer = await fetch(`${url}${path}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.headers.get("content-security-policy")).toBe(
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }
  });
});
