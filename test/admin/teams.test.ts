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
  it("have tenant and rule in the metrics, and a team's own token reads its own alone", async () => {
    const { metrics } = await twoTeams();
    const all = await metrics(ALL);
    expect(all).toContain('unloop_exchanges_total{verdict="observe:nudge",tenant="alpha",rule="strict"} 1');
    expect(all).toContain('unloop_exchanges_total{verdict="nudge",tenant="beta"} 1');
    expect(all).toContain('unloop_interventions_total{rung="nudge",detector="repeated-call",tenant="beta"} 1');
    expect(all).toContain('unloop_sessions_total{policy="default",arm="none",tenant="alpha",rule="strict"} 1');
    const own = await metrics(OWN);
    expect(own).toContain('unloop_exchanges_total{verdict="observe:nudge",tenant="alpha",rule="strict"} 1');
    expect(own).toContain("# TYPE unloop_tokens_total counter");
    expect(own).not.toContain("beta");
    expect(own).not.toContain("process_");
  });

  it("are in the sums for a team's own token, and for an operator who asks for the team", async () => {
    const { url, call } = await twoTeams();
    const own = apiClient(url, OWN);
    const sessions = async (ask: typeof own, query = {}) => (await ask("overview", { query })).body.total.sessions;
    expect([await sessions(own), await sessions(call, { tenant: "alpha" }), await sessions(call)]).toEqual([1, 1, 2]);
    expect(await sessions(own, { tenant: "beta" })).toBe(0);
  });
});

describe("labels of tenants", () => {
  const seriesOf = async (metrics: ReturnType<typeof promMetrics>) => {
    const { text } = await metrics.read();
    const lines = text.split("\n").filter((line) => line.startsWith("unloop_exchanges_total"));
    return Object.fromEntries(lines.map((line) => [/tenant="([^"]*)"/.exec(line)?.[1], Number(line.split(" ")[1])]));
  };

  it("leave a team of its name alone whatever stands for the rest", async () => {
    const metrics = promMetrics();
    for (let i = 0; i < 120; i++)
      for (const tenant of [`team-${i}`, "other"]) metrics.exchange("ok", 0.001, false, "whole", { tenant });
    expect(await seriesOf(metrics)).toMatchObject({ other: 120, "(other)": 71 });
    expect((await metrics.read("other")).text).not.toContain(" 71");
  });

  it("are those of the fifty biggest, and who overtakes takes a place", async () => {
    const metrics = promMetrics();
    const ask = (tenant: string, times: number) => {
      for (let i = 0; i < times; i++) metrics.exchange("ok", 0.001, false, "whole", { tenant });
    };
    for (let i = 0; i < 120; i++) ask(`team-${i}`, i + 1);
    const first = await seriesOf(metrics);
    expect(Object.keys(first)).toHaveLength(51);
    expect(first).toMatchObject({ "team-119": 120, "team-70": 71, "(other)": (70 * 71) / 2 });
    ask("team-0", 500);
    const then = await seriesOf(metrics);
    expect(Object.keys(then)).toHaveLength(51);
    expect(then).toMatchObject({ "team-0": 500, "(other)": first["(other)"] });
    expect(then["team-70"]).toBeUndefined();
    ask("team-1", 1);
    expect((await seriesOf(metrics))["(other)"]).toBe((first["(other)"] ?? 0) + 1);
  });
});
