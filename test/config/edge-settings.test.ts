import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingsTable } from "../../src/config/config.ts";
import { edgeSettings } from "../../src/config/edge-settings.ts";
import { UnloopError } from "../../src/errors.ts";
import { presetNames } from "../../src/policy/policy.ts";

const secret = "a secret of the edge";
const read = (bindings: object) => edgeSettings({ UNLOOP_SECRET: secret, ...bindings }, presetNames);

describe("edgeSettings", () => {
  it("needs nothing but the secret", () => {
    expect(read({})).toMatchObject({ secret, mode: "enforce", policy: "default" });
  });

  it.each([
    { name: "text", bindings: { UNLOOP_MODE: "observe" }, expected: { mode: "observe" } },
    { name: "a number", bindings: { UNLOOP_SESSION_TTL_MS: 60_000 }, expected: { sessionTtlMs: 60_000 } },
    {
      name: "an upstream",
      bindings: { UNLOOP_UPSTREAM: "https://a.b/v1" },
      expected: { upstream: new URL("https://a.b/v1") },
    },
    {
      name: "nothing, where it is empty",
      bindings: { UNLOOP_PORT: "", UNLOOP_MODE: "" },
      expected: { mode: "enforce" },
    },
  ])("takes $name from the bindings", ({ bindings, expected }) => {
    expect(read(bindings)).toMatchObject(expected);
  });

  it("leaves other bindings alone, whatever they are", () => {
    expect(read({ THREADS: { getByName() {} }, DATABASE: null, OTHER: "x" })).toEqual(read({}));
  });

  it.each([
    { name: "no secret", bindings: { UNLOOP_SECRET: undefined }, says: "npx wrangler secret put UNLOOP_SECRET" },
    { name: "a short secret", bindings: { UNLOOP_SECRET: "short" }, says: "at least 16 characters" },
    { name: "a misspelt setting", bindings: { UNLOOP_MOD: "off" }, says: "did you mean UNLOOP_MODE?" },
    { name: "a value that is none", bindings: { UNLOOP_MODE: true }, says: "UNLOOP_MODE must be one of" },
  ])("refuses $name", ({ bindings, says }) => {
    expect(() => read(bindings)).toThrow(says);
    expect(() => read(bindings)).toThrow(UnloopError);
  });

  const refused = Object.values(settingsTable)
    .map(({ env }) => env)
    .filter((env) => {
      try {
        read({ [env]: "1" });
        return false;
      } catch (error) {
        return String(error).includes("has no effect on Cloudflare Workers");
      }
    });

  it.each(refused)("%s is refused, and docs/deployment.md says why", (env) => {
    const section = readFileSync(new URL("../../docs/deployment.md", import.meta.url), "utf8").split(
      /^## Cloudflare Workers$/m,
    )[1];
    expect(section).toContain(`\`${env}\``);
  });

  it("refuses all that only a server has", () => {
    expect(refused).toEqual(expect.arrayContaining(["UNLOOP_HOST", "UNLOOP_PORT", "REDIS_URL", "UNLOOP_DRAIN_MS"]));
  });
});
