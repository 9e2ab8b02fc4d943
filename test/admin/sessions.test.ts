import { describe, expect, it, vi } from "vitest";
import { verdictsOf } from "../proxy/guard-rig.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";

const headers = { "user-agent": "test-agent/1.2 (linux)" };
/** Answers are let through as they are, so that each rung is reached by a request. */
const UNLOOP_POLICY = JSON.stringify({ extends: "default", name: "default", intercept: "off" });

async function looped() {
  const rig = await apiRig({ UNLOOP_POLICY });
  const run = rig.agent("run-1", { headers });
  await run.turns(6);
  const [session] = await rig.sessions({ requests: 6 });
  const act = (id: Parameters<typeof rig.call>[0], body?: object) =>
    rig.call(id, { id: session.id, ...(body && { body }) });
  return { ...rig, run, session, act };
}

describe("sessions", () => {
  it("are listed with their sums and newest loop, and shown with steps, findings and what the model was told, without texts", async () => {
    const { session, act } = await looped();
    expect(session).toMatchObject({
      ...{ name: "run-1", source: "header:x-unloop-session", agent: "test-agent", wire: "chat-completions" },
      ...{ policy: "default", mode: "enforce", rule: null, arm: null, requests: 6, steps: 5, threads: 1 },
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
    const { body } = await act("readSession");
    const [thread] = body.lineages;
    expect(thread.steps).toBe(5);
    expect(new Set(thread.window.map(({ signature }: { signature: string }) => signature)).size).toBe(1);
    expect(thread.window[0].calls[0]).toMatchObject({ tool: "search", outcome: { class: "ok" } });
    const told = (count: number) =>
      expect.stringMatching(new RegExp(`^\\[unloop\\] The same call was made ${count} times: .*search`));
    expect(thread.findings).toMatchObject([
      { rung: "nudge", step: 2, told: told(3) },
      { rung: "force-done", step: 4, told: told(5) },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/Paris|morning|sk-test/);
  });

  it("are filtered and paged", async () => {
    const { call, agent, sessions } = await apiRig({}, healthy(1));
    const all = ["run-0", "run-1", "run-2", "run-3", "run-4"];
    for (const name of all) await agent(name, { headers }).turn();
    await sessions(...all.map(() => ({})));
    const listed = async (query: Record<string, string>) => {
      const { body } = await call("listSessions", { query });
      return { next: body.next, names: body.sessions.map(({ name }: { name: string }) => name) };
    };
    const first = await listed({ limit: "3" });
    const second = await listed({ limit: "3", cursor: first.next });
    expect([...first.names, ...second.names].sort()).toEqual(all);
    expect(second.next).toBeNull();
    expect((await listed({ q: "n-4" })).names).toEqual(["run-4"]);
    expect((await listed({ agent: "TEST" })).names).toHaveLength(5);
    expect((await listed({ policy: "web-actions" })).names).toEqual([]);
  });
});

it("release lets a run go on that the guard had ended, and counts afresh; reset forgets its steps", async () => {
  const { run, act, sessions } = await looped();
  expect(verdictsOf([await run.turn()])).toEqual(["short-circuit"]);
  await act("releaseSession", { reason: "it is a load test" });
  expect(verdictsOf([await run.turn()])).not.toContain("short-circuit");
  await sessions({ loop: null, state: "running" });
  await act("resetSession", { reason: "start over" });
  expect((await act("readSession")).body.lineages).toEqual([]);
});

it("the overview sums up the sessions that are asked for, at list prices where a policy has none", async () => {
  const { call } = await looped();
  const { body } = await call("overview", { query: { window: "1h" } });
  expect(body).toMatchObject({ isWhole: true, states: { forced: 1 }, total: { sessions: 1, looped: 1 } });
  expect(body.total.loopCost).toBeGreaterThan(0);
  expect(body.total.loopCost).toBeLessThan(body.total.cost);
  expect(body.prices).toMatchObject({ list: 1, policy: 0 });
  const kinds = { agent: "test-agent", model: "gpt-4o", policy: "default", tool: "search", detector: "repeated-call" };
  for (const [kind, name] of Object.entries(kinds)) {
    expect(body.by[kind], kind).toMatchObject([{ name, sessions: 1, looped: 1 }]);
    const count = async (value: string) =>
      (await call("listSessions", { query: { [kind]: value } })).body.sessions.length;
    expect([await count(name), await count(`${name}?`)], kind).toEqual([1, 0]);
  }
  expect((await call("overview", { query: { window: "1y" } })).status).toBe(400);
});

it("feedback says whether an intervention was right: with the session, in the journal, the sums and the metrics", async () => {
  const { call, act, metrics } = await looped();
  await act("rateSession", { right: true });
  const rated = await act("rateSession", { right: false, reason: "it is a load test" });
  expect(rated.body.feedback).toMatchObject({ right: false, detector: "repeated-call", reason: "it is a load test" });
  expect((await call("overview")).body.total).toMatchObject({ right: 0, wrong: 1 });
  const journal = await call("readJournal", { query: { type: "feedback" } });
  expect(journal.body.entries.map(({ word }: { word: string }) => word)).toEqual(["wrong", "right"]);
  expect(await metrics()).toContain('unloop_feedback_total{word="wrong",detector="repeated-call"} 1');
  expect((await act("rateSession", { right: "yes" })).status).toBe(400);
});

const longName = "build-4711/of-the-branch/with-a-long-name";

it.each([
  { names: "short", is: expect.stringMatching(/^build-47\.\.[\w-]{6}$/), others: "other" },
  { names: "whole", is: longName, others: "build-4711/on" },
])("with $names names a session is found by its beginning", async ({ names, is, others }) => {
  const rig = await apiRig({ UNLOOP_SESSION_NAMES: names });
  await rig.agent(longName).turns(2);
  const named = async (q: string) => (await rig.call("listSessions", { query: { q } })).body.sessions;
  for (const q of ["build", "build-4711/of"])
    await vi.waitFor(async () => expect(await named(q), q).toMatchObject([{ name: is }]));
  expect(await named(others)).toEqual([]);
});
