import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { alertRules } from "../../deploy/alert-rules.ts";
import { chosen, deployFiles } from "../../deploy/files.ts";
import { panels } from "../../deploy/panels.ts";
import { parseAllDocuments } from "yaml";
import { readSettings } from "../../src/config/config.ts";
import { metricDefinitions } from "../../src/admin/metrics/definitions.ts";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { isInstalled } from "../support/processes/installed.ts";

const written = Object.entries(deployFiles());
const expressions = [
  ...panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)),
  ...alertRules.map(({ expr }) => expr),
];

it.each(written)("%s is what `npm run generate` makes", (path, text) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(text);
});

it("dashboard and alert rules ask for nothing that is not exposed", async () => {
  const { text } = await promMetrics().read();
  const exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const asked = expressions.flatMap((expr) => expr.match(/\b(unloop|nodejs|process)_\w+/g) ?? []);
  const families = asked.map((name) => name.replace(/_bucket$/, ""));
  expect(families.filter((name) => !exposed.has(name))).toEqual([]);
});

it.each(panels)("the dashboard's panel $title asks each metric by labels that it has", ({ queries }) => {
  for (const expr of queries.map((query) => chosen(query.expr))) {
    const asked = Object.values(metricDefinitions).filter(({ name }) => new RegExp(`\\b${name}(_|\\b)`).test(expr));
    // The job is Prometheus' own label of whom it has scraped, and `le` that of a histogram.
    const known = new Set(["job", "le", ...asked.flatMap(({ labels }) => labels)]);
    const by = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(", "));
    const matched = [...expr.matchAll(/(\w+)\s*(?:=~|!=|=)"/g)].map(([, name = ""]) => name);
    expect([...by, ...matched].filter((label) => !known.has(label))).toEqual([]);
  }
});

it.skipIf(!isInstalled("promtool"))("promtool accepts the alert rules (left out without the program)", () => {
  const file = resolve(import.meta.dirname, "../../deploy/prometheus-rules.yaml");
  const { status, stdout } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringContaining(`SUCCESS: ${alertRules.length} rules found`)]);
});

it("the documentation lists each metric", () => {
  const page = readFileSync(new URL("../../docs/telemetry.md", import.meta.url), "utf8");
  const rows = Object.values(metricDefinitions).map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

describe("the Kubernetes manifest", () => {
  const text = readFileSync(new URL("../../deploy/kubernetes.yaml", import.meta.url), "utf8");
  const [deployment, _service] = parseAllDocuments(text).map((document) => document.toJS());
  const [guard] = deployment.spec.template.spec.containers;

  it("names settings that there are, and gives the pod time for them", () => {
    const env = Object.fromEntries(guard.env.map(({ name, value }: { name: string; value: string }) => [name, value]));
    const settings = readSettings(env);
    const seconds = (settings.shutdownDelayMs + settings.drainMs) / 1000;
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds);
  });
});
