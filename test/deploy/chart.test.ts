import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { readSettings } from "../../src/config/config.ts";
import { presetNames } from "../../src/policy/policy.ts";
import { isInstalled } from "../support/processes/installed.ts";

const chart = resolve(import.meta.dirname, "../../deploy/helm/unloop");

function helm(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("helm", args, { encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

/** What the chart makes of these values, by kind. */
function rendered(...values: readonly string[]) {
  const { status, out, err } = helm(["template", "guard", chart, ...values.flatMap((one) => ["--set-json", one])]);
  expect([status, err]).toEqual([0, ""]);
  return new Map(parseAllDocuments(out).map((document) => [document.toJS().kind, document.toJS()]));
}

describe.skipIf(!isInstalled("helm"))("the Helm chart (left out without the program helm)", () => {
  it("has nothing that helm lint objects to", () => {
    expect(helm(["lint", "--strict", chart])).toMatchObject({ status: 0 });
  });

  it("gives a guard settings that there are, and a pod time for them, however long streams may take", () => {
    for (const drainMs of [30_000, 600_000, 3_600_000]) {
      const { spec } = rendered(`drainMs=${drainMs}`, 'env={"UNLOOP_MODE":"enforce"}').get("Deployment").spec.template;
      const [guard] = spec.containers;
      const env = Object.fromEntries(guard.env.map((one: { name: string; value: string }) => [one.name, one.value]));
      const settings = readSettings(env, {}, presetNames);
      expect(settings).toMatchObject({ mode: "enforce", drainMs, host: "0.0.0.0" });
      expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(settings.shutdownDelayMs + drainMs);
      expect([guard.readinessProbe.httpGet.path, guard.livenessProbe.httpGet.path]).toEqual([
        "/unloop/readyz",
        "/unloop/healthz",
      ]);
    }
  });

  it("mounts the configuration file as it was given, or none", () => {
    const text = "mode: observe\npolicies:\n  team: { extends: default } # ours\n";
    const made = rendered(`config=${JSON.stringify(text)}`);
    expect(made.get("ConfigMap").data["config.yaml"]).toBe(text);
    const [guard] = made.get("Deployment").spec.template.spec.containers;
    expect(guard.env).toContainEqual({ name: "UNLOOP_CONFIG", value: "/etc/unloop/config.yaml" });
    expect(guard.volumeMounts[0].mountPath).toBe("/etc/unloop");
    expect([...rendered().keys()].sort()).toEqual(["Deployment", "Service"]);
  });

  it("lets the service and Prometheus' operator find the pods", () => {
    const made = rendered("serviceMonitor.enabled=true");
    const { labels } = made.get("Deployment").spec.template.metadata;
    expect(labels).toMatchObject(made.get("Service").spec.selector);
    expect(made.get("Service").metadata.labels).toMatchObject(made.get("ServiceMonitor").spec.selector.matchLabels);
    expect(made.get("ServiceMonitor").spec.endpoints[0].port).toBe(made.get("Service").spec.ports[0].name);
  });
});
