import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { alertRules } from "../../deploy/alert-rules.ts";
import { chosen } from "../../deploy/files.ts";
import { panels } from "../../deploy/panels.ts";
import { apiRig } from "../admin/api-rig.ts";
import { client, configFile } from "../admin/config-file.ts";
import { looping } from "../support/agents/scripts.ts";
import { isInstalled } from "../support/processes/installed.ts";
import { receiver } from "../support/servers/webhook-receiver.ts";

/** What Grafana puts in its place where the scrape interval is a second. */
const RATE_INTERVAL = "5s";
const queries = panels.flatMap(({ title, queries: of }) =>
  of.map(({ expr }) => ({
    title,
    expr: chosen(expr).replaceAll("$__rate_interval", RATE_INTERVAL).replaceAll(/\$\w+/g, ".*"),
  })),
);

const authorization = "Bearer ul-ci";

async function busyGuard() {
  const hook = await receiver();
  const text = `
policies:
  team: { extends: [default, local-planning], intercept: "off" }
policy: team
rollout: 50
rules: [{ name: nightly, when: { tenant: research }, rollout: 50 }]
clients: [${client("ci", "research")}]
alerts: [{ name: all, url: "${hook.url.href}", on: [observe, nudge] }]`;
  const judge = { UNLOOP_JUDGE_UPSTREAM: "http://127.0.0.1:9", UNLOOP_JUDGE_MODEL: "judge" };
  const rig = await apiRig({ UNLOOP_CONFIG: configFile(text).path, ...judge }, (asked, i) =>
    asked.fields["x-fails"] ? { kind: "error", status: 500, message: "down" } : looping("nothing")(asked, i),
  );
  const run = (name: string) => rig.agent(name, { headers: { authorization } }).turns(7);
  const scrape = () => rig.metrics();
  // Which side a session is on follows from a hash under the guard's own secret.
  const hasBothSides = (scraped: string) => ["enforced", "held-out"].every((arm) => scraped.includes(`arm="${arm}"`));
  for (let i = 0; i < 4 || (i < 40 && !hasBothSides(await scrape())); i += 1) await run(`run-${i}`);
  await rig.agent("failing", { headers: { authorization, "x-fails": "yes" } }).turn();
  const { sessions } = (await rig.call("listSessions", { query: { detector: "repeated-call" } })).body;
  await rig.call("rateSession", { id: sessions[0].id, body: { right: true } });
  await (await fetch(`${rig.url}/v1/completions`, { method: "POST", body: "{}", headers: { authorization } })).text();
  await vi.waitFor(async () => expect(await scrape()).toMatch(/unloop_alerts_total\{outcome="sent"\} [1-9]/));
  return scrape();
}

function seriesIn(scraped: string): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of scraped.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set<string>();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

it("the dashboard, on a guard that is busy, asks each metric by labels that it has", { timeout: 60_000 }, async () => {
  const series = seriesIn(await busyGuard());
  for (const { title, expr } of queries) {
    const names = expr.match(/\b(?:unloop|nodejs|process)_\w+/g) ?? [];
    expect(names.length, title).toBeGreaterThan(0);
    const asked = [...expr.matchAll(/by \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by = "", matchers = ""]) => [
      ...by.split(","),
      ...[...matchers.matchAll(/(\w+)\s*!?=/g)].map(([, label = ""]) => label),
    ]);
    for (const name of names) expect([...series.keys()], `${title}: ${expr}`).toContain(name);
    // The job is Prometheus' own label of whom it has scraped.
    for (const label of asked.map((one) => one.trim()).filter((one) => one !== "" && one !== "job"))
      expect(
        names.some((name) => series.get(name)?.has(label)),
        `${title}: ${label} in ${expr}`,
      ).toBe(true);
  }
});

describe.skipIf(!isInstalled("promtool"))("promtool (left out without the program)", () => {
  const promtool = (args: readonly string[], input = "") => {
    const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };

  it("accepts the alert rules", () => {
    const file = resolve(import.meta.dirname, "../../deploy/prometheus-rules.yaml");
    const { status, said } = promtool(["check", "rules", file]);
    expect(said).toContain(`SUCCESS: ${alertRules.length} rules found`);
    expect(status).toBe(0);
  });
});
