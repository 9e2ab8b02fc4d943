import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { metricDefinitions } from "../../src/admin/metrics/definitions.ts";
import { readSettings } from "../../src/config/config.ts";
import { isInstalled } from "../support/processes/installed.ts";

const chart = resolve(import.meta.dirname, "../../deploy/helm/unloop");

function helm(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("helm", args, { encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

function rendered(...values: readonly string[]) {
  const { status, out, err } = helm(["template", "guard", chart, ...values.flatMap((one) => ["--set-json", one])]);
  expect([status, err]).toEqual([0, ""]);
  return new Map(parseAllDocuments(out).map((document) => [document.toJS().kind, document.toJS()]));
}

describe.skipIf(!isInstalled("helm"))("the Helm chart (left out without the program helm)", () => {
  it("gives a guard settings that there are, and a pod time for them, however long streams may take", () => {
    for (const drainMs of [30_000, 600_000, 3_600_000]) {
      const { spec } = rendered(`drainMs=${drainMs}`, 'env={"UNLOOP_MODE":"enforce"}').get("Deployment").spec.template;
      const [guard] = spec.containers;
      const env = Object.fromEntries(guard.env.map((one: { name: string; value: string }) => [one.name, one.value]));
      const settings = readSettings(env);
      expect(settings).toMatchObject({ mode: "enforce", drainMs, host: "0.0.0.0" });
      expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(settings.shutdownDelayMs + drainMs);
      expect([guard.readinessProbe.httpGet.path, guard.livenessProbe.httpGet.path]).toEqual([
        "/unloop/readyz",
        "/unloop/healthz",
      ]);
    }
  });

  it("mounts configuration, secrets and volumes of one's own, or none", () => {
    expect(helm(["lint", "--strict", chart])).toMatchObject({ status: 0 });
    const text = "mode: observe\npolicies:\n  team: { extends: default } # ours\n";
    const volume = '{"name":"ca","configMap":{"name":"company-ca"}}';
    const mount = 'extraVolumeMounts=[{"name":"ca","mountPath":"/etc/ca"}]';
    const made = rendered(`config=${JSON.stringify(text)}`, 'secretFiles="files"', `extraVolumes=[${volume}]`, mount);
    expect(made.get("ConfigMap").data["config.yaml"]).toBe(text);
    const { volumes, containers } = made.get("Deployment").spec.template.spec;
    expect(containers[0].env).toContainEqual({ name: "UNLOOP_CONFIG", value: "/etc/unloop/config.yaml" });
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();
    expect(names(volumes)).toEqual(expect.arrayContaining(["ca", "secrets"]));
    expect(names(containers[0].volumeMounts)).toEqual(names(volumes));
    expect([...rendered().keys()].sort()).toEqual(["Deployment", "PodDisruptionBudget", "Service"]);
  });

  it("routes by session where there is an ingress, and has replicas or an autoscaler", () => {
    const made = rendered('ingress={"enabled":true}', 'autoscaling={"enabled":true}');
    const { annotations } = made.get("Ingress").metadata;
    expect(annotations["nginx.ingress.kubernetes.io/upstream-hash-by"]).toMatch(/^\$http_x_unloop_session\$/);
    expect(made.get("Service").spec.sessionAffinity).toBe("None");
    expect(made.get("Deployment").spec.replicas).toBeUndefined();
    const { scaleTargetRef, metrics } = made.get("HorizontalPodAutoscaler").spec;
    expect(scaleTargetRef.name).toBe(made.get("Deployment").metadata.name);
    expect(metrics[0].pods.metric.name.replace("_per_second", "_total")).toBe(metricDefinitions.exchanges.name);
    expect(rendered().get("Service").spec.sessionAffinity).toBe("ClientIP");
  });
});
