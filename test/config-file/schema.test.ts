import { Validator } from "@cfworker/json-schema";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configFileShape } from "../../src/config-file/schema.ts";

const readJson = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
/** As the build has written it. */
const schema = readJson("docs/config.schema.json");

type Json = Readonly<Record<string, unknown>>;

it("the published schema is what is checked, with words of its own", () => {
  const { $schema, ...bare } = JSON.parse(
    JSON.stringify(schema, (key, value) => (key === "description" ? undefined : value)),
  );
  expect($schema).toContain("2020-12");
  expect(bare).toEqual(JSON.parse(JSON.stringify(configFileShape.schema)));
  const { properties } = schema;
  const { clients, rules, alerts, limits } = properties;
  for (const { properties: fields } of [schema, clients.items, rules.items.properties.when, alerts.items, limits])
    for (const [name, field] of Object.entries<Json>(fields))
      if (!["name", "policy", "$schema"].includes(name)) expect(field.description, name).toMatch(/\.$/);
});

it("the example in docs/configuration.md is right, by the schema and by the reader", () => {
  const docs = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const [, example = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(docs) ?? [];
  expect(example).toContain("rules:");
  expect(() => readConfigFile(example, "a")).not.toThrow();
  const validator = new Validator(schema, "2020-12");
  expect(validator.validate(parse(example)).errors).toEqual([]);
  expect(validator.validate({ polcy: "default" }).valid).toBe(false);
  expect(validator.validate({ policies: { a: { ladders: { "repeated-cal": {} } } } }).valid).toBe(false);
});
