import { describe, expect, it, vi } from "vitest";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent } from "../proxy/agent.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

const ALL = "operate-0123456789";
const OWN = "alpha-0123456789abc";
const text = `mode: enforce
rules:
  - { name: strict, when: { tenant: alpha }, mode: observe }
clients:
${["alpha", "beta"].map((team) => `  - { name: ${team}-ci, tenant: ${team}, sha256: ${sha256Hex(`ul-${team}`)} }`).join("\n")}
admin:
  tokens: [{ name: alpha-lead, role: read, tenant: alpha, sha256: ${sha256Hex(OWN)} }]`;

async function twoTeams() {
  const rig = await apiRig({ UNLOOP_CONFIG: configFile(text).path, UNLOOP_ADMIN_TOKEN: ALL });
  for (const [team, turns] of [["alpha", 4] as const, ["beta", 3] as const])
    await agent({ ...rig, headers: { authorization: `Bearer ul-${team}`, "x-unloop-session": "run" } }).turns(turns);
  await vi.waitFor(async () => expect((await rig.call("listSessions")).body.sessions).toHaveLength(2));
  const metrics = async (token: string) =>
    (await fetch(`${rig.url}/unloop/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  return { ...rig, metrics };
}

describe("figures by team", () => {
  it("have tenant and rule in the metrics, and a team's own token reads its own alone, in the sums as well", async () => {
    const { url, call, metrics } = await twoTeams();
    const all = await metrics(ALL);
    expect(all).toContain('unloop_exchanges_total{verdict="observe:nudge",tenant="alpha",rule="strict"} 1');
    expect(all).toContain('unloop_exchanges_total{verdict="nudge",tenant="beta"} 1');
    expect(all).toContain('unloop_interventions_total{rung="nudge",detector="repeated-call",tenant="beta"} 1');
    expect(all).toContain('unloop_threads_total{policy="default",arm="none",tenant="alpha",rule="strict"} 1');
    const own = await metrics(OWN);
    expect(own).toContain('unloop_exchanges_total{verdict="observe:nudge",tenant="alpha",rule="strict"} 1');
    expect(own).toContain("# TYPE unloop_tokens_total counter");
    expect(own).not.toContain("beta");
    expect(own).not.toContain("process_");
    const teams = apiClient(url, OWN);
    const sessions = async (ask: typeof teams, query = {}) => (await ask("overview", { query })).body.total.sessions;
    expect([await sessions(teams), await sessions(call, { tenant: "alpha" }), await sessions(call)]).toEqual([1, 1, 2]);
    expect(await sessions(teams, { tenant: "beta" })).toBe(0);
  });
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
