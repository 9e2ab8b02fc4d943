import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { platform } from "../support/processes/worker-bundle.ts";
import { newFolder } from "../support/servers/of-test.ts";

const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");

it("wrangler.toml asks for the platform that the tests run on", () => {
  expect(toml).toContain(`compatibility_date = "${platform.compatibilityDate}"`);
  expect(toml).toContain(`compatibility_flags = ${JSON.stringify(platform.compatibilityFlags).replaceAll(",", ", ")}`);
});

it("wrangler.toml has no secret in it", () => {
  expect(toml.replaceAll(/#.*/g, "")).not.toMatch(/SECRET|TOKEN|KEY|account_id/);
});

it("wrangler.toml has lines to uncomment, each of which does something where it stands", async () => {
  const config = join(newFolder(), "wrangler.toml");
  writeFileSync(config, toml.replaceAll(/^# (?=\[|\]|[a-z_.]+ = | *\{)/gm, ""));
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
