import { request } from "node:http";
import { expect, it, onTestFinished, vi, describe } from "vitest";
import { jsonBody, operations } from "../../src/admin/api/api.ts";
import { refuseWrong } from "../../src/admin/api/operation.ts";
import { object } from "../../src/shapes/shapes.ts";
import { apiRig } from "./api-rig.ts";
import { once } from "node:events";
import { type AdminOptions, adminApp, adminPath, operatorToken } from "../../src/admin/admin.ts";
import { guardOf, type Log, webTransport } from "../../src/index.ts";
import { isLoopback } from "../../src/text/loopback.ts";
import { logInto, type LogLine, post } from "../proxy/guard-rig.ts";
import { healthy } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { bodyOf } from "../support/servers/http.ts";

const PIECE = 1024 * 1024;
const MOST = 12 * PIECE;
const headers = { "content-type": "application/json" };

it("a body of the admin API is counted while it is read, and not read beyond what one may have", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += PIECE;
      controller.enqueue(new Uint8Array(PIECE).fill(0x20));
    },
  });
  let held = 0;
  const init = { method: "POST", headers, body, duplex: "half" };
  const reading = jsonBody(new Request("http://x", init), (bytes) => {
    held += bytes;
  });
  await expect(reading).rejects.toMatchObject({ status: 413, code: "body_too_large" });
  expect(held).toBe(MOST);
  expect(sent).toBeLessThanOrEqual(MOST + 3 * PIECE);
});

it("it is counted among the bodies of all, and says 503 where they take all there is", async () => {
  const { url, metrics } = await apiRig({ UNLOOP_MAX_BODY_BYTES: "700000" });
  const { hostname, port } = new URL(url);
  const fields = { ...headers, "transfer-encoding": "chunked" };
  const first = request({ hostname, port, method: "POST", path: "/unloop/api/decide", headers: fields });
  first.on("error", () => undefined);
  onTestFinished(() => void first.destroy());
  first.write(Buffer.alloc(2 * PIECE, 0x20));
  const held = `unloop_held_bytes{of="bodies"} ${2 * PIECE}`;
  await vi.waitFor(async () => expect(await metrics()).toContain(held), 10_000);
  const body = " ".repeat(2 * PIECE);
  expect((await fetch(`${url}/unloop/api/decide`, { method: "POST", headers, body })).status).toBe(503);
});

it.each([
  [operations.containSession, { reason: " " }, "reason must be a text of 1 to 500 characters."],
  [operations.containSession, { reason: "costly", minuets: 5 }, '"minuets" is not a field of this body; it takes'],
  [operations.containSession, null, "The body must be an object."],
  [operations.dryRun, { policy: "a", sessions: Array(501).fill("s") }, "sessions must be a list of at most 500."],
] as const)("a body that an operation's schema does not allow is refused: %#", ({ body: shape }, body, message) => {
  expect(() => refuseWrong(shape, body, "body")).toThrow(message);
});

it("a query is refused by name, and by what it may be", () => {
  const { query = {} } = operations.listSessions;
  const refusing = (given: object) => expect(() => refuseWrong(object(query), given, "query"));
  refusing({ limti: "5" }).toThrow('"limti" is not a field of this query');
  for (const limit of ["x", "", "1.5", "0", "201"]) refusing({ limit }).toThrow("limit must be a whole number");
  for (const limit of ["1", "10", "99", "100", "101", "200"]) refusing({ limit }).not.toThrow();
  for (const name of ["state", "rung", "window"]) refusing({ [name]: "nudgee" }).toThrow(name);
});

async function asked(path: string, options: Partial<AdminOptions>, init?: RequestInit, log?: Log): Promise<Response> {
  const { context } = guardOf({ upstream: "http://127.0.0.1:1", transport: webTransport(), ...(log && { log }) });
  const app = adminApp({
    status: () => "ready",
    metrics: async () => ({ contentType: "text/plain", text: "" }),
    access: { tokens: () => [], local: operatorToken("loopback", "l".repeat(20)) },
    api: { version: "0.1.0", stores: context().stores, guard: context, now: Date.now },
    page: undefined,
    ...options,
  });
  return app(new Request(`http://127.0.0.1/unloop${path}`, init));
}

it("health and readiness differ while the server drains: it is alive, and wants nothing new", async () => {
  const draining = { status: () => "draining" as const };
  const [ready, alive] = [await asked("/readyz", draining), await asked("/healthz", draining)];
  expect([ready.status, await ready.json()]).toEqual([503, { status: "draining" }]);
  expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
});

it.each([
  ["/unloop", ""],
  ["/unloop?a=/b", ""],
  ["http://guard.example/%75nloop/%61pi/status?window=1h", "/api/status"],
  ["/unloop/api/sessions/a%2Fcontain", "/api/sessions/a%2Fcontain"],
  ["/unloop/api/sessions/a%3Fb%23c%2564", "/api/sessions/a%3Fb%23c%2564"],
  ["/unloop%2Fapi/status", undefined],
  ["/unlooped", undefined],
  ["/v1/unloop", undefined],
  ["/v1/models?next=/unloop/", undefined],
])("of the target %s the path %j is the operators'", (target, path) => expect(adminPath(target)).toBe(path));

const local = { headers: { host: "127.0.0.1", authorization: `Bearer ${"l".repeat(20)}` } };

it.each([
  ["POST /api/sessions/some%2Fcontain", 405],
  ["GET /api/policies/default%3Fx", 404],
  ["GET /api/policies/default%23x", 404],
  ["GET /api/policies/def%61ult", 200],
  ["GET /api/policies/def%2561ult", 404],
])("an escape in a parameter leads to no other resource: %s", async (line, status) => {
  const [method = "", path = ""] = line.split(" ");
  expect((await asked(path, {}, { ...local, method })).status).toBe(status);
});

it("of a parameter that is given twice the first one is checked, which is the one that counts", async () => {
  expect((await asked("/api/sessions?limit=1&limit=x", {}, local)).status).toBe(200);
  expect((await asked("/api/sessions?limit=x&limit=1", {}, local)).status).toBe(400);
});

it("HEAD has the status of GET, without a body", async () => {
  const answer = await asked("/readyz", { status: () => "draining" }, { method: "HEAD" });
  expect([answer.status, await answer.text()]).toEqual([503, ""]);
});

it("a failure of ours is answered as the API's errors are, and logged without what it quotes", async () => {
  const logged: LogLine[] = [];
  const metrics = () => Promise.reject(new TypeError("quotes sk-secret"));
  const answer = await asked("/metrics", { metrics }, local, logInto(logged));
  expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([500, "nosniff"]);
  expect(await answer.json()).toEqual({ error: { code: "internal_error", message: expect.any(String) } });
  expect(logged).toMatchObject([{ level: "error", event: "exchange-failed", error: "TypeError" }]);
  expect(JSON.stringify(logged)).not.toContain("sk-secret");
});

it("an operation that is asked with another method says which one it takes", async () => {
  const answer = await asked("/api/sessions/some", {}, { method: "DELETE" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  expect(await answer.json()).toEqual({ error: { code: "wrong_method", message: "Ask with GET, not with DELETE." } });
});

it("the metrics stay shut without a token where others than this machine can ask, and say how to open them", async () => {
  const refused = await asked("/metrics", { access: { tokens: () => [], local: undefined } });
  expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("UNLOOP_ADMIN_TOKEN")]);
  const own = ["127.0.0.1", "127.8.9.10", "localhost", "::1"];
  const others = ["0.0.0.0", "::", "192.168.1.7", "guard.internal", "127.example.com", "localhost.example.com"];
  expect([...own, ...others].filter(isLoopback)).toEqual(own);
});

describe("metrics count", () => {
  it("exchanges by verdict, errors, bytes held and the guard's own time, with nothing of a conversation", async () => {
    const { url, metrics, agent } = await apiRig({ UNLOOP_MAX_BODY_BYTES: "20000" });
    await agent("run-4711").turns(7);
    await fetch(`${url}/v1/models`);
    await post(url, "x".repeat(20_001));
    const text = await metrics();
    for (const line of [
      'unloop_exchanges_total{verdict="nudge"} 1',
      'unloop_exchanges_total{verdict="ok"} 3',
      'unloop_exchanges_total{verdict="short-circuit"} 3',
      'unloop_interventions_total{rung="nudge",detector="repeated-call"} 1',
      "unloop_processing_seconds_count 7",
      "unloop_store_failures_total 0",
      'unloop_store_state{state="up"} 1',
      "process_cpu_seconds_total",
      'unloop_held_bytes{of="bodies"} 0',
      'unloop_errors_total{code="body_too_large"} 1',
      'unloop_errors_total{code="overloaded"} 0',
    ])
      expect(text).toContain(line);
    expect(text.match(/^unloop_exchanges_total/gm)).toHaveLength(3);
    expect(text).toMatch(/unloop_held_bytes\{of="store"\} [1-9]\d{2}/);
    expect(text).not.toMatch(/sk-test|Paris|morning|run-4711/);
  });

  it("what passes by endpoint, under few names whatever is asked", async () => {
    const { url, metrics } = await apiRig({}, () => ({ kind: "text", text: "Hm." }));
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
    const counted = [...(await metrics()).matchAll(/^unloop_unguarded_requests_total\{endpoint="(.*)"\} (\d+)$/gm)];
    expect(Object.fromEntries(counted.map(([, endpoint, count]) => [endpoint, Number(count)]))).toEqual(
      Object.fromEntries(Object.entries(asked).map(([endpoint, { length }]) => [endpoint, length])),
    );
  });

  it("exchanges of a client that never tells a step from the fifth on, and none of one that does", async () => {
    const { url, metrics, agent } = await apiRig({}, healthy(7));
    await agent("").turns(8);
    const planning = (count: number) => [{ role: "system", content: "You plan." }, user(`State number ${count}`)];
    for (let count = 0; count < 7; count += 1) await post(url, chatBody(planning(count)));
    await vi.waitFor(async () => expect(await metrics()).toContain("unloop_untold_exchanges_total 3"));
  });
});

describe("nothing under /unloop reaches the upstream", () => {
  it("whatever its method and its path", async () => {
    const { url, upstream } = await apiRig();
    const { hostname, port } = new URL(url);
    for (const line of [
      ...["GET /unloop/v1/models", "GET /unloop/v1/unloop", "GET /unloop/assets/report.ts"],
      ...["GET /unloop/assets/openapi.json", "GET /unloop/assets/index.html"],
      ...["GET /unloop/assets/..%2findex.html", "GET /unloop//healthz", "GET /unloop/%2e%2e/v1/models"],
      ...["GET /unloop/../v1/models", "POST /unloop", "POST /unloop/v1/chat/completions", "POST /unloop/metrics"],
      "OPTIONS /unloop/x",
    ]) {
      const [method, path] = line.split(" ");
      // The path as it is written; fetch would tidy it up.
      const [answer] = await once(request({ hostname, port, method, path }).end(), "response");
      expect(answer.statusCode, line).toBeGreaterThanOrEqual(400);
      expect(JSON.parse(String(await bodyOf(answer))), line).toMatchObject({ error: { code: expect.any(String) } });
    }
    expect(upstream.requests).toEqual([]);
    // What only looks like it does.
    for (const path of ["/unlooped/v1/models", "/v1/unloop/models"]) await fetch(url + path);
    expect(upstream.requests.map(({ target }) => target)).toEqual(["/unlooped/v1/models", "/v1/unloop/models"]);
  });

  it("is the page at /unloop, which nobody else may frame or add to", async () => {
    const { url } = await apiRig({ UNLOOP_ADMIN_TOKEN: "an admin's token of 30 letters" });
    for (const path of ["/unloop", "/unloop/", "/unloop?x=1"]) {
      const { status, headers } = await fetch(`${url}${path}`);
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }
  });
});
