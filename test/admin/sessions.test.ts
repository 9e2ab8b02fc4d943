import { describe, expect, it, vi } from "vitest";
import { agent, verdictsOf } from "../proxy/agent.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";

const named = (name: string) => ({ "x-unloop-session": name, "user-agent": "test-agent/1.2 (linux)" });

/** Answers are let through as they are, so that each rung is reached by a request. */
const requestsOnly = JSON.stringify({ extends: "default", name: "default", intercept: "off" });

async function looped() {
  const rig = await apiRig({ UNLOOP_POLICY: requestsOnly });
  const run = agent({ ...rig, headers: named("run-1") });
  const turns = await run.turns(6);
  const { body } = await vi.waitFor(async () => {
    const listed = await rig.call("listSessions");
    expect(listed.body.sessions[0]?.requests).toBe(6);
    return listed;
  });
  return { ...rig, run, turns, session: body.sessions[0] };
}

describe("sessions", () => {
  it("are listed with their sums and newest loop, and shown with steps, findings and what the model was told, without texts", async () => {
    const { session, call } = await looped();
    expect(session).toMatchObject({
      name: "run-1",
      source: "header:x-unloop-session",
      agent: "test-agent",
      wire: "chat-completions",
      policy: "default",
      mode: "enforce",
      rule: null,
      arm: null,
      requests: 6,
      steps: 5,
      threads: 1,
      interventions: { nudge: 1, "force-done": 1 },
      loop: {
        detector: "repeated-call",
        rung: "force-done",
        tools: ["search"],
        next: { rung: "short-circuit", at: 7 },
      },
      containment: null,
    });
    expect(session.tokens.input).toBeGreaterThan(0);
    expect(session.loopTokens).toBeGreaterThan(0);
    const { body } = await call("readSession", { id: session.id });
    const [thread] = body.lineages;
    expect(thread.steps).toBe(5);
    expect(new Set(thread.window.map(({ signature }: { signature: string }) => signature)).size).toBe(1);
    expect(thread.window[0].calls[0]).toMatchObject({ tool: "search", outcome: { class: "ok" } });
    const told = (count: number) =>
      expect.stringMatching(new RegExp(`^\\[unloop\\] You have made the same call ${count} times: .*search`));
    expect(thread.findings).toMatchObject([
      { rung: "nudge", step: 2, told: told(3) },
      { rung: "force-done", step: 4, told: told(5) },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/Paris|morning|sk-test/);
  });

  it("are filtered and paged", async () => {
    const { url, upstream, call } = await apiRig({}, healthy(1));
    for (let i = 0; i < 5; i += 1) await agent({ url, upstream, headers: named(`run-${i}`) }).turn();
    await vi.waitFor(async () => expect((await call("listSessions")).body.sessions).toHaveLength(5));
    const names = ({ body }: { body: { sessions: { name: string }[] } }) => body.sessions.map(({ name }) => name);
    const first = await call("listSessions", { query: { limit: "3" } });
    const second = await call("listSessions", { query: { limit: "3", cursor: first.body.next } });
    expect([...names(first), ...names(second)].sort()).toEqual(["run-0", "run-1", "run-2", "run-3", "run-4"]);
    expect(second.body.next).toBeNull();
    expect(names(await call("listSessions", { query: { q: "n-4" } }))).toEqual(["run-4"]);
    expect(names(await call("listSessions", { query: { agent: "TEST" } }))).toHaveLength(5);
    expect(names(await call("listSessions", { query: { policy: "web-actions" } }))).toEqual([]);
  });
});

it("release lets a run go on that the guard had ended, and counts afresh; reset forgets its steps", async () => {
  const { run, call, session } = await looped();
  expect(verdictsOf([await run.turn()])).toEqual(["short-circuit"]);
  await call("releaseSession", { id: session.id, body: { reason: "it is a load test" } });
  expect(verdictsOf([await run.turn()])).not.toContain("short-circuit");
  expect((await call("listSessions")).body.sessions[0]).toMatchObject({ loop: null, state: "running" });
  await call("resetSession", { id: session.id, body: { reason: "start over" } });
  expect((await call("readSession", { id: session.id })).body.lineages).toEqual([]);
});

describe("the overview", () => {
  it("sums up the sessions that are asked for, at list prices where a policy has none", async () => {
    const { call } = await looped();
    const { body } = await call("overview", { query: { window: "1h" } });
    expect(body).toMatchObject({ isWhole: true, states: { forced: 1 }, total: { sessions: 1, looped: 1 } });
    expect(body.total.loopCost).toBeGreaterThan(0);
    expect(body.total.loopCost).toBeLessThan(body.total.cost);
    expect(body.prices).toMatchObject({ list: 1, policy: 0 });
    for (const [kind, name] of Object.entries({
      agent: "test-agent",
      model: "gpt-4o",
      policy: "default",
      tool: "search",
      detector: "repeated-call",
    })) {
      expect(body.by[kind], kind).toMatchObject([{ name, sessions: 1, looped: 1 }]);
      const listed = await call("listSessions", { query: { [kind]: name } });
      expect(listed.body.sessions, kind).toHaveLength(1);
      expect((await call("listSessions", { query: { [kind]: `${name}?` } })).body.sessions, kind).toHaveLength(0);
    }
    expect((await call("overview", { query: { window: "1y" } })).status).toBe(400);
  });
});

describe("feedback", () => {
  it("says whether an intervention was right: with the session, in the journal, the sums and the metrics", async () => {
    const { call, url, session } = await looped();
    const rate = (body: object) => call("rateSession", { id: session.id, body });
    await rate({ right: true });
    const rated = await rate({ right: false, reason: "it is a load test" });
    expect(rated.body.feedback).toMatchObject({ right: false, detector: "repeated-call", reason: "it is a load test" });
    expect((await call("overview")).body.total).toMatchObject({ right: 0, wrong: 1 });
    const journal = await call("readJournal", { query: { type: "feedback" } });
    expect(journal.body.entries.map(({ word }: { word: string }) => word)).toEqual(["wrong", "right"]);
    const metrics = await (await fetch(`${url}/unloop/metrics`)).text();
    expect(metrics).toContain('unloop_feedback_total{word="wrong",detector="repeated-call"} 1');
    expect((await rate({ right: "yes" })).status).toBe(400);
  });
});
