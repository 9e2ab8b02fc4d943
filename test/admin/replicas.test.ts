import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { agent } from "../proxy/guard-rig.ts";
import { looping } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import type { Script } from "../support/servers/upstream.ts";
import { receiver } from "../support/servers/webhook-receiver.ts";
import { apiClient } from "./api-rig.ts";
import { configFile } from "./config-file.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis?.stop());

async function replicas(script: Script, more: Readonly<Record<string, string>> = {}) {
  const upstream = await upstreamOf(script);
  const env = {
    REDIS_URL: `${redis.url}?prefix=${crypto.randomUUID()}:`,
    UNLOOP_SECRET: "a secret of the replicas",
    UNLOOP_STORE_DEADLINE_MS: "5000",
    ...more,
  };
  const start = () => startGuard({ upstream: upstream.url, env });
  const [one, two] = [await start(), await start()];
  for (const { close } of [one, two]) onTestFinished(close);
  return { upstream, one, two };
}

it("replicas that share a Redis tell of a loop once between them", async () => {
  const { url: hook, got } = await receiver();
  const alerts = configFile(`alerts: [{ name: ops, url: "${hook.href}", on: [observe] }]`).path;
  const { upstream, one, two } = await replicas(looping("nothing"), { UNLOOP_CONFIG: alerts, UNLOOP_MODE: "observe" });
  const url = (turn: number) => (turn % 2 ? two : one).url;
  // Both replicas see the loop at several rungs.
  for (const name of ["first", "second"])
    await agent({ url, upstream, headers: { "x-unloop-session": name } }).turns(8);
  await vi.waitFor(() => expect(got).toHaveLength(2));
  expect(got.map(({ body }) => JSON.parse(body).session)).toEqual(["first", "second"]);
  expect(got.map(({ body }) => body).join()).not.toMatch(/Paris|morning|sk-test/);
});

it("an operator's order ends open streams of all replicas validly, and is the answer of each until it is lifted", {
  timeout: 60_000,
}, async () => {
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  const choices = [{ index: 0, delta: { role: "assistant", content: "one " }, finish_reason: null }];
  // A stream that says a word and then nothing any more.
  const { upstream, one, two } = await replicas(() => ({
    kind: "raw",
    status: 200,
    fields: { "content-type": "text/event-stream" },
    pieces: [`data: ${JSON.stringify({ ...chunk, choices })}\n\n`],
    ending: "hang",
  }));
  const asked = (url: string, signal?: AbortSignal) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-unloop-session": "runaway" },
      body: chatBody([user("count")], { stream: true }),
      ...(signal && { signal }),
    });
  const ended = Array.from({ length: 6 }, async (_, i) => (await asked((i % 2 ? two : one).url)).text());
  await expect.poll(() => upstream.requests.length, { timeout: 20_000 }).toBe(6);
  const leave = async (url: string) => {
    const leaving = new AbortController();
    const answer = await asked(url, leaving.signal);
    const verdict = answer.headers.get("x-unloop-verdict");
    if (verdict === "contained") expect(await answer.text()).toContain("it never ends");
    leaving.abort();
    return verdict;
  };
  // The first exchange that is over makes a session known.
  await leave(one.url);
  const listed = async () => (await apiClient(one.url)("listSessions")).body.sessions[0];
  await expect.poll(listed, { timeout: 20_000 }).toBeDefined();
  const { id } = await listed();
  const order = { id, body: { reason: "it never ends" } };
  expect((await apiClient(one.url, one.adminToken)("containSession", order)).status).toBe(200);
  for (const text of await Promise.all(ended)) expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  for (const { url } of [one, two]) expect(await leave(url)).toBe("contained");
  await apiClient(two.url, two.adminToken)("releaseSession", { id, body: { reason: "it may" } });
  await expect.poll(() => leave(one.url), { timeout: 10_000 }).toBe("ok");
  const { body: journal } = await apiClient(one.url)("readJournal", { query: { session: id, limit: "200" } });
  const types = journal.entries.map(({ type }: { type: string }) => type);
  expect(new Set(types)).toEqual(new Set(["contain", "contained", "release"]));
  expect(types.filter((type: string) => type === "contained").length).toBeGreaterThanOrEqual(8);
});

it.each(["memory", "Redis"])("another policy is tried on the ledgers that %s keeps", async (store) => {
  const observed = JSON.stringify({ extends: "default", name: "default", intercept: "off" });
  const upstream = await upstreamOf(looping("nothing"));
  const env = {
    UNLOOP_MODE: "observe",
    UNLOOP_POLICY: observed,
    ...(store === "Redis" && { REDIS_URL: redis.url, UNLOOP_SECRET: "a secret of the dry run" }),
    UNLOOP_STORE_DEADLINE_MS: "5000",
  };
  const { url, close } = await startGuard({ upstream: upstream.url, env });
  onTestFinished(close);
  const call = apiClient(url);
  await agent({ url, upstream, headers: { "x-unloop-session": "kept" } }).turns(5);
  const { id } = await vi.waitFor(async () => {
    const [session] = (await call("listSessions")).body.sessions;
    expect(session?.requests).toBe(5);
    return session;
  });
  const policy = { extends: "default", name: "stricter", ladders: { "repeated-call": { "short-circuit": 2 } } };
  for (const sessions of ["recent", [id]]) {
    const { body } = await call("dryRun", { body: { policy, sessions } });
    expect(body).toMatchObject({ policy: "stricter", against: "default", total: 1 });
    expect(body.results[0]).toMatchObject({ id, earliestDifference: { step: 1, after: { rung: "short-circuit" } } });
  }
  const { body: same } = await call("dryRun", { body: { policy: "default", sessions: "recent" } });
  expect(same).toMatchObject({ total: 1, results: [{ earliestDifference: null }] });
  expect((await call("listSessions")).body.sessions[0].interventions["short-circuit"]).toBeUndefined();
  const refusal = async (policy: unknown) =>
    (await call("dryRun", { body: { policy, sessions: "recent" } })).body.error.message;
  expect([await refusal("none"), await refusal({ ladder: 1 })]).toEqual([
    expect.stringContaining("policy"),
    expect.stringContaining('did you mean "ladders"'),
  ]);
});
