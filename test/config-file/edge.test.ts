import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingNames, variableOf } from "../../src/config/config.ts";
import { edgeConfiguration } from "../../src/config-file/config-file.ts";
import { UnloopError } from "../../src/errors.ts";

const secret = "a secret of the edge";
const read = (bindings: object) => edgeConfiguration({ UNLOOP_SECRET: secret, ...bindings }).settings;

describe("settings of a Worker", () => {
  it("takes texts and numbers from the bindings, and leaves the others alone", () => {
    const bindings = {
      UNLOOP_MODE: "observe",
      UNLOOP_SESSION_TTL_MS: 60_000,
      UNLOOP_POLICY: "",
      THREADS: { get() {} },
    };
    expect(read(bindings)).toMatchObject({ secret, mode: "observe", sessionTtlMs: 60_000, policy: "default" });
    expect(edgeConfiguration({ UNLOOP_SECRET: secret }).configured).toBeUndefined();
  });

  it.each([
    { name: "no secret", bindings: { UNLOOP_SECRET: undefined }, says: "npx wrangler secret put UNLOOP_SECRET" },
    { name: "a short secret", bindings: { UNLOOP_SECRET: "short" }, says: "at least 16 characters" },
  ])("refuses $name", ({ bindings, says }) => {
    expect(() => read(bindings)).toThrow(says);
    expect(() => read(bindings)).toThrow(UnloopError);
  });

  const refused = settingNames.map(variableOf).filter((env) => {
    try {
      read({ [env]: "1" });
      return false;
    } catch (error) {
      return String(error).includes("has no effect on Cloudflare Workers");
    }
  });

  it("refuses all that only a server has, and docs/deployment.md says why", () => {
    expect(refused).toEqual(expect.arrayContaining(["UNLOOP_HOST", "UNLOOP_PORT", "REDIS_URL", "UNLOOP_DRAIN_MS"]));
    const page = readFileSync(new URL("../../docs/deployment.md", import.meta.url), "utf8");
    const section = page.split(/^## Cloudflare Workers$/m)[1] ?? "";
    for (const env of refused) expect(section).toContain(`\`${env}\``);
  });
});

describe("a Worker's configuration", () => {
  const bindings = (UNLOOP_CONFIG: unknown, more: object = {}) => ({ UNLOOP_SECRET: secret, UNLOOP_CONFIG, ...more });
  const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  const client = { name: "bot", tenant: "research", sha256, upstreamKey: { env: "PROVIDER_KEY" } };

  it.each([
    { as: "a table", written: (value: object) => value },
    { as: "JSON", written: (value: object) => JSON.stringify(value) },
  ])("is read as $as, with secrets from other bindings", ({ written }) => {
    const config = { mode: "observe", limits: { maxBodyBytes: 1_000 }, clients: [client] };
    const { settings, configured } = edgeConfiguration(bindings(written(config), { PROVIDER_KEY: "sk-provider" }));
    expect(settings).toMatchObject({ mode: "observe", maxBodyBytes: 1_000 });
    expect(configured?.clients).toMatchObject([{ name: "bot", upstreamKey: "sk-provider" }]);
  });

  it.each([
    { config: "unloop.yaml", tells: /must be the configuration itself.*check-config --worker/ },
    { config: { modes: "observe" }, tells: /UNLOOP_CONFIG: The file .*did you mean "mode"/ },
    {
      config: { clients: [client] },
      tells: /clients\[0\]\.upstreamKey stands in a variable that is empty or not there/,
    },
    { config: { limits: { drainMs: 5000 } }, tells: /limits\.drainMs has no effect on Cloudflare Workers/ },
    { config: { alerts: [{ name: "a", url: "https://host" }] }, tells: /alerts.* have no effect.*Tail Worker/ },
  ])("is refused with the cure: $tells", ({ config, tells }) => {
    expect(() => edgeConfiguration(bindings(config))).toThrow(tells);
  });
});
