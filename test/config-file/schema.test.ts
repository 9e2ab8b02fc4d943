import { Validator } from "@cfworker/json-schema";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configFileShape } from "../../src/config-file/schema.ts";

const published = readFileSync(new URL("../../docs/config.schema.json", import.meta.url), "utf8");
const schema = JSON.parse(published);

type Json = Readonly<Record<string, unknown>>;

/** A schema with the descriptions that another one has at the same places. */
function describedAs(one: unknown, other: unknown): unknown {
  if (Array.isArray(one)) return one.map((inner, i) => describedAs(inner, Array.isArray(other) ? other[i] : undefined));
  if (typeof one !== "object" || one === null) return one;
  const told = (other ?? {}) as Json;
  const inner = Object.entries(one).map(([key, value]) => [key, describedAs(value, told[key])]);
  return {
    ...(typeof told.description === "string" && { description: told.description }),
    ...Object.fromEntries(inner),
  };
}

it("the published schema is what is checked, with words of its own (renew it with `npx vitest run -u` of this file)", async () => {
  const checked = { $schema: "https://json-schema.org/draft/2020-12/schema", ...configFileShape.schema };
  // One line for each description: indentation would be four fifths of the file.
  const written = JSON.stringify(describedAs(checked, schema)).replace(/("[^"]+":)?\{"description"/g, "\n$&");
  await expect(`${written}\n`).toMatchFileSnapshot("../../docs/config.schema.json");
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
