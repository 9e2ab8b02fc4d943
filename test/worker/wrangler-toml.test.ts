import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { unstable_readConfig } from "wrangler";
import { platform } from "../support/processes/worker-bundle.ts";

const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");

it("wrangler.toml asks for the platform that the tests run on", () => {
  expect(toml).toContain(`compatibility_date = "${platform.compatibilityDate}"`);
  expect(toml).toContain(`compatibility_flags = ${JSON.stringify(platform.compatibilityFlags).replaceAll(",", ", ")}`);
});

it("wrangler.toml has no secret in it", () => {
  expect(toml.replaceAll(/#.*/g, "")).not.toMatch(/SECRET|TOKEN|KEY|account_id/);
});

it("wrangler.toml has lines to uncomment, each of which does something where it stands", async () => {
  const folder = await mkdtemp(join(tmpdir(), "unloop-toml-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, "wrangler.toml");
  await writeFile(config, toml.replaceAll(/^# (?=\[|\]|[a-z_.]+ = | *\{)/gm, ""));
  const whole = unstable_readConfig({ config });
  expect(whole).toMatchObject({
    limits: { cpu_ms: 2_000 },
    tail_consumers: [{ service: "unloop-alerts" }],
    kv_namespaces: [{ binding: "UNLOOP_CONFIG" }],
  });
  const staging = unstable_readConfig({ config, env: "staging" });
  const { durable_objects, kv_namespaces, tail_consumers } = whole;
  expect(staging).toMatchObject({ durable_objects, kv_namespaces, tail_consumers, vars: whole.vars });
});
