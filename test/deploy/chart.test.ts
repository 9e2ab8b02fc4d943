import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { metricDefinitions } from "../../src/admin/metrics/definitions.ts";
import { readSettings } from "../../src/config/config.ts";
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
      const settings = readSettings(env);
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

  it("mounts secrets as files, and volumes of one's own", () => {
    const volume = '{"name":"ca","configMap":{"name":"company-ca"}}';
    const { spec } = rendered(
      'secretFiles="files"',
      `extraVolumes=[${volume}]`,
      'extraVolumeMounts=[{"name":"ca","mountPath":"/etc/ca"}]',
    ).get("Deployment").spec.template;
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    expect(names(spec.volumes)).toEqual(["secrets", "ca"]);
    expect(names(spec.containers[0].volumeMounts)).toEqual(names(spec.volumes));
    expect(spec.volumes[0].secret.secretName).toBe("files");
  });

  it.skipIf(!isInstalled("kubernetes-validate"))(
    "is what Kubernetes' own schemas allow (left out without kubernetes-validate)",
    () => {
      const every = ["ingress", "autoscaling", "networkPolicy"].flatMap((one) => [
        "--set-json",
        `${one}={"enabled":true}`,
      ]);
      const { out } = helm(["template", "guard", chart, "--set-json", 'config="mode: observe"', ...every]);
      const file = join(mkdtempSync(join(tmpdir(), "unloop-chart-")), "all.yaml");
      onTestFinished(() => rmSync(dirname(file), { recursive: true }));
      writeFileSync(file, out);
      expect(spawnSync("kubernetes-validate", ["--strict", file], { encoding: "utf8" })).toMatchObject({ status: 0 });
    },
  );

  it("lets the service and Prometheus' operator find the pods", () => {
    const made = rendered("serviceMonitor.enabled=true");
    const { labels } = made.get("Deployment").spec.template.metadata;
    expect(labels).toMatchObject(made.get("Service").spec.selector);
    expect(made.get("Service").metadata.labels).toMatchObject(made.get("ServiceMonitor").spec.selector.matchLabels);
    expect(made.get("ServiceMonitor").spec.endpoints[0].port).toBe(made.get("Service").spec.ports[0].name);
  });
});
