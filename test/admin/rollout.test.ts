import { describe, expect, it, vi } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent, type Turn, verdictsOf } from "../proxy/agent.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

const story = (mode: string, more = "") => `
mode: ${mode}
policies:
  team: { intercept: "off" }
policy: team
${more}
`;

describe("a policy is rolled out without a restart", () => {
  it("observed first, then enforced for half of the sessions with both halves told apart, then for all", {
    timeout: 60_000,
  }, async () => {
    const file = configFile(story("observe"));
    const rig = await apiRig({ UNLOOP_CONFIG: file.path });
    const taken = async (mode: string, rollout: unknown) =>
      vi.waitFor(async () => {
        const { body } = await rig.call("explain", { body: {} });
        expect([body.mode, body.rollout?.percent]).toEqual([mode, rollout]);
      }, 10_000);
    const run = (name: string): Promise<readonly Turn[]> =>
      agent({ ...rig, headers: { "x-unloop-session": name } }).turns(4);

    expect(verdictsOf(await run("first"))).toEqual(["ok", "ok", "ok", "observe:nudge"]);
    const observed = await rig.call("readJournal", { query: { type: "intervention" } });
    expect(observed.body.entries).toMatchObject([{ mode: "observe", policy: "team", name: "first", rung: "nudge" }]);

    file.write(story("enforce", "rollout: 50"));
    await taken("enforce", 50);
    const last = new Set<string | undefined>();
    for (let i = 0; i < 12; i += 1) last.add(verdictsOf(await run(`half-${i}`)).at(-1) ?? undefined);
    expect(last).toEqual(new Set(["nudge", "observe:nudge"]));
    const arms = await vi.waitFor(async () => {
      const { body } = await rig.call("listSessions");
      expect(body.sessions.every(({ requests }: { requests: number }) => requests === 4)).toBe(true);
      expect(body.sessions).toHaveLength(13);
      return body.sessions.map(({ arm }: { arm: string | null }) => arm);
    });
    expect(new Set(arms)).toEqual(new Set(["enforced", "held-out", null]));
    const counted = await (await fetch(`${rig.url}/unloop/metrics`)).text();
    const enforced = arms.filter((one: string | null) => one === "enforced").length;
    expect(counted).toContain(`unloop_threads_total{policy="team",arm="enforced"} ${enforced}\n`);
    const { body: saved } = await rig.call("overview");
    // Six sessions or so on a side are too few to measure by.
    expect(saved.rollouts).toMatchObject([{ policy: "team", tokens: null, cost: null }]);
    expect(saved.rollouts[0].enforced + saved.rollouts[0].heldOut).toBe(12);

    file.write(story("enforce"));
    await taken("enforce", undefined);
    expect(verdictsOf(await run("late"))).toEqual(["ok", "ok", "ok", "nudge"]);
  });

  it("drops no request over twenty reloads under load", { timeout: 60_000 }, async () => {
    const file = configFile(story("enforce"));
    const rig = await apiRig({ UNLOOP_CONFIG: file.path }, healthy(1_000));
    let isOver = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async (_, i) => {
      const run = agent({ ...rig, headers: { "x-unloop-session": `load-${i}` } });
      while (!isOver) statuses.push((await run.turn()).status);
    });
    for (let i = 1; i <= 20; i += 1) {
      file.write(story("enforce", `rollout: ${i}`));
      process.emit("SIGHUP");
      const { body } = await rig.call("explain", { body: {} });
      expect(body.rollout.percent).toBe(i);
    }
    isOver = true;
    await Promise.all(load);
    expect(statuses.length).toBeGreaterThan(4);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

const providerKey = "sk-provider-of-the-operator";

describe("client keys", () => {
  const keys = { a: `ul-${"a".repeat(40)}`, b: `ul-${"b".repeat(40)}`, rotated: `ul-${"c".repeat(40)}` };
  const client = (name: string, tenant: string, key: string, more = "") =>
    `  - { name: ${name}, tenant: ${tenant}, sha256: ${sha256Hex(key)}${more} }`;
  const clients = [
    "clients:",
    client("bot-a", "alpha", keys.a, ", upstreamKey: { env: MODEL_KEY }, policy: web-actions"),
    client("bot-b", "beta", keys.b),
    client("bot-a2", "alpha", keys.rotated, ", policy: web-actions"),
  ].join("\n");
  const keyed = () => apiRig({ UNLOOP_CONFIG: configFile(clients).path, MODEL_KEY: providerKey }, healthy(0));
  const ask = (url: string, headers: Record<string, string>, path = "/v1/chat/completions") =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    });

  it("let in who has one, in its tenant and by its policy, and the upstream sees its own key or none", async () => {
    const { url, upstream, call } = await keyed();
    for (const key of Object.values(keys)) {
      const answer = await ask(url, { authorization: `Bearer ${key}`, "x-unloop-session": "same" });
      expect(answer.status).toBe(200);
    }
    const sent = upstream.requests.map(({ fields }) => fields.authorization);
    expect(sent).toEqual([`Bearer ${providerKey}`, undefined, undefined]);
    expect(JSON.stringify(upstream.requests.map(({ fields }) => fields))).not.toMatch(/ul-aaa|ul-bbb|ul-ccc/);
    const { body } = await call("listSessions");
    const listed = body.sessions.map(({ tenant, policy, requests }: Record<string, unknown>) => [
      tenant,
      policy,
      requests,
    ]);
    expect(listed.sort()).toEqual([
      ["alpha", "web-actions", 2],
      ["beta", "default", 1],
    ]);
  });

  it("refuse whoever has none with 401 in the API's shape, also for what is not guarded", async () => {
    const { url, upstream } = await keyed();
    for (const key of ["", "ul-wrong", providerKey, sha256Hex(keys.a)])
      for (const path of ["/v1/chat/completions", "/v1/embeddings"]) {
        const answer = await ask(url, { authorization: `Bearer ${key}` }, path);
        expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: "client_key_refused" } }]);
      }
    expect(upstream.requests).toEqual([]);
    expect((await ask(url, { "x-goog-api-key": keys.a })).status).toBe(200);
    expect(upstream.requests[0]?.fields["x-goog-api-key"]).toBe(providerKey);
  });
});
