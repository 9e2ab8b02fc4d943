import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent } from "../proxy/agent.ts";
import { healthy } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

it("twenty reloads under load drop no request", { timeout: 60_000 }, async () => {
  const file = configFile("mode: enforce");
  const rig = await apiRig({ UNLOOP_CONFIG: file.path }, healthy(1_000));
  let isOver = false;
  const statuses: number[] = [];
  const revisions = new Set<string>();
  const load = Array.from({ length: 4 }, async (_, i) => {
    const run = agent({ ...rig, headers: { "x-unloop-session": `load-${i}` } });
    while (!isOver) statuses.push((await run.turn()).status);
  });
  for (let i = 1; i <= 20; i += 1) {
    file.write(`rollout: ${i}`);
    process.emit("SIGHUP");
    revisions.add((await rig.call("status")).body.config.revision);
  }
  expect(revisions.size).toBe(20);
  isOver = true;
  await Promise.all(load);
  expect(statuses.length).toBeGreaterThan(4);
  expect(new Set(statuses)).toEqual(new Set([200]));
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
