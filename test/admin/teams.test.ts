import { describe, expect, it } from "vitest";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { post } from "../proxy/guard-rig.ts";
import { healthy } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { client, configFile, token, tokenOf } from "./config-file.ts";

it("figures have tenant and rule in the metrics, and a team's own token reads its own alone, in the sums as well", async () => {
  const text = `rules:
  - { name: strict, when: { tenant: alpha }, mode: observe }
clients: [${client("a", "alpha")}, ${client("b", "beta")}]
admin: { tokens: [${token("alpha", "read", ", tenant: alpha")}] }`;
  const env = { UNLOOP_CONFIG: configFile(text).path, UNLOOP_ADMIN_TOKEN: tokenOf("all") };
  const { url, call, metrics, ...rig } = await apiRig(env);
  await rig.agent("run", { headers: { authorization: "Bearer ul-a" } }).turns(4);
  await rig.agent("run", { headers: { authorization: "Bearer ul-b" } }).turns(3);
  await rig.sessions({}, {});
  const ofAlpha = 'unloop_exchanges_total{verdict="observe:nudge",tenant="alpha",rule="strict"} 1';
  const all = await metrics(tokenOf("all"));
  for (const line of [
    ofAlpha,
    'unloop_exchanges_total{verdict="nudge",tenant="beta"} 1',
    'unloop_interventions_total{rung="nudge",detector="repeated-call",tenant="beta"} 1',
    'unloop_threads_total{policy="default",arm="none",tenant="alpha",rule="strict"} 1',
  ])
    expect(all).toContain(line);
  const own = await metrics(tokenOf("alpha"));
  expect(own).toContain(ofAlpha);
  expect(own).toContain("# TYPE unloop_tokens_total counter");
  expect(own).not.toMatch(/beta|process_/);
  const team = apiClient(url, tokenOf("alpha"));
  const count = async (ask: typeof team, query = {}) => (await ask("overview", { query })).body.total.sessions;
  expect([await count(team), await count(call, { tenant: "alpha" }), await count(call)]).toEqual([1, 1, 2]);
  expect(await count(team, { tenant: "beta" })).toBe(0);
});

it("tenants have labels up to the first two hundred; what comes behind is none of theirs, whatever its name", async () => {
  const metrics = promMetrics();
  for (let i = 0; i < 250; i++)
    for (const tenant of [`team-${i}`, "other"]) metrics.exchange("ok", 0.001, false, "whole", { tenant });
  const { text } = await metrics.read();
  const lines = text.matchAll(/^unloop_exchanges_total\{.*tenant="([^"]*)"\} (\d+)$/gm);
  const series = Object.fromEntries([...lines].map(([, tenant, count]) => [tenant, Number(count)]));
  expect(Object.keys(series)).toHaveLength(201);
  expect(series).toMatchObject({ other: 250, "team-198": 1, "(other)": 51 });
  expect((await metrics.read("other")).text).not.toContain(" 51");
});

describe("client keys", () => {
  const provider = "sk-provider-of-the-operator";
  const clients = [
    client("a", "alpha", ", upstreamKey: { env: MODEL_KEY }, policy: web-actions"),
    client("b", "beta"),
    client("rotated", "alpha", ", policy: web-actions"),
  ];
  const keyed = () =>
    apiRig({ UNLOOP_CONFIG: configFile(`clients: [${clients.join(", ")}]`).path, MODEL_KEY: provider }, healthy(0));
  const hi = chatBody([user("hi")]);

  it("let in who has one, in its tenant and by its policy, and the upstream sees its own key or none", async () => {
    const { url, upstream, call } = await keyed();
    for (const name of ["a", "b", "rotated"]) {
      const headers = { authorization: `Bearer ul-${name}`, "x-unloop-session": "same" };
      expect((await post(url, hi, headers)).status).toBe(200);
    }
    const sent = upstream.requests.map(({ fields }) => fields.authorization);
    expect(sent).toEqual([`Bearer ${provider}`, undefined, undefined]);
    expect(JSON.stringify(upstream.requests.map(({ fields }) => fields))).not.toMatch(/ul-/);
    const { body } = await call("listSessions");
    expect(body.sessions).toHaveLength(2);
    expect(body.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tenant: "alpha", policy: "web-actions", requests: 2 }),
        expect.objectContaining({ tenant: "beta", policy: "default", requests: 1 }),
      ]),
    );
  });

  it("refuse whoever has none with 401 in the API's shape, also for what is not guarded", async () => {
    const { url, upstream } = await keyed();
    for (const key of ["", "ul-wrong", provider, sha256Hex("ul-a")])
      for (const path of ["/v1/chat/completions", "/v1/embeddings"]) {
        const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
        const answer = await fetch(url + path, { method: "POST", headers, body: hi });
        expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: "client_key_refused" } }]);
      }
    expect(upstream.requests).toEqual([]);
    expect((await post(url, hi, { authorization: "", "x-goog-api-key": "ul-a" })).status).toBe(200);
    expect(upstream.requests[0]?.fields["x-goog-api-key"]).toBe(provider);
  });
});
