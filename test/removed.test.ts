import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { operations } from "../src/admin/api/operations.ts";
import { metricDefinitions } from "../src/admin/metrics/definitions.ts";
import { readSettings, settingNames, variableOf } from "../src/config/config.ts";
import { readConfigFile } from "../src/config-file/config-file.ts";
import { policyFrom } from "../src/policy/policy.ts";
import { removed } from "../src/removed.ts";
import { startGuard } from "./support/servers/guarded.ts";

const named = (kind: string) => removed.filter((one) => one.kind === kind);

describe("what was removed", () => {
  it("is there no more", () => {
    const there = [
      ...Object.values(operations).map(({ method, path }) => `${method.toUpperCase()} ${path}`),
      ...Object.values(metricDefinitions).map(({ name }) => name),
      ...settingNames.map(variableOf),
    ];
    expect(removed.filter(({ name }) => there.some((one) => one === name))).toEqual([]);
  });

  it("is listed in docs/removed.md with what takes its place", () => {
    const page = readFileSync(new URL("../docs/removed.md", import.meta.url), "utf8");
    const rows = page.match(/^\| \w+ \| `.*$/gm);
    expect(rows).toEqual(removed.map(({ kind, name, instead }) => `| ${kind} | \`${name}\` | ${instead} |`));
  });

  it("is told by the admin API where an operation is asked for", async () => {
    const { adminUrl, close } = await startGuard({ upstream: "http://127.0.0.1:9" });
    onTestFinished(close);
    for (const { name, instead } of named("operation")) {
      const [method = "", path = ""] = name.split(" ");
      const answer = await fetch(`${adminUrl}/unloop/api${path.replace("{id}", "any")}?window=1h`, { method });
      const message = `${name} was removed. ${instead}`;
      expect([answer.status, await answer.json()]).toEqual([410, { error: { code: "removed", message } }]);
    }
  });

  it("is told at its place in a configuration file that has it", () => {
    for (const { name, instead } of named("field")) {
      const [section = "", ...path] = name.split(".");
      const entry = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), 1);
      const read = readConfigFile(JSON.stringify({ [section]: section === "rules" ? [entry] : entry }));
      const message = `${name} was removed. ${instead}`;
      expect(read).toMatchObject({ problems: expect.arrayContaining([expect.objectContaining({ message })]) });
    }
  });

  it("is told where a policy says it", () => {
    for (const { name, instead } of named("policy")) {
      const value = name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), 1);
      expect(() => policyFrom(value)).toThrow(`which was removed: ${instead}`);
    }
  });

  it("is told at a start that sets it", () => {
    for (const { name, instead } of named("setting"))
      expect(() => readSettings({ [name]: "1" })).toThrow(`${name} was removed. ${instead}`);
  });
});
