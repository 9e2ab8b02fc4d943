import { Validator } from "@cfworker/json-schema";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { configJsonSchema, readConfigFile } from "../../src/config-file/config-file.ts";

const schema = configJsonSchema() as object;

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
