import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { configJsonSchema, readConfigFile } from "../../src/config-file/config-file.ts";

const schema = configJsonSchema() as object;

it("the JSON Schema is published (renew it with `npx vitest run -u test/config-file/schema.test.ts`)", async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../docs/config.schema.json");
});

it("the example in docs/configuration.md is right, by the schema and by the reader", () => {
  const docs = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const [, example = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(docs) ?? [];
  expect(example).toContain("rules:");
  expect(readConfigFile(example)).not.toHaveProperty("problems");
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate(parse(example)) ? [] : validate.errors).toEqual([]);
  expect(validate({ polcy: "default" })).toBe(false);
  expect(validate({ policies: { a: { ladders: { "repeated-cal": {} } } } })).toBe(false);
});
