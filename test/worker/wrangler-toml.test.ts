import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { platform } from "../support/processes/worker-bundle.ts";

const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");

it("wrangler.toml asks for the platform that the tests run on", () => {
  expect(toml).toContain(`compatibility_date = "${platform.compatibilityDate}"`);
  expect(toml).toContain(`compatibility_flags = ${JSON.stringify(platform.compatibilityFlags).replaceAll(",", ", ")}`);
});

it("wrangler.toml has no secret in it", () => {
  expect(toml.replaceAll(/#.*/g, "")).not.toMatch(/SECRET|TOKEN|KEY|account_id/);
});
