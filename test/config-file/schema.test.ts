import { Validator } from "@cfworker/json-schema";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { configJsonSchema, readConfigFile } from "../../src/config-file/config-file.ts";

const schema = configJsonSchema() as object;

// Renewed by `npx vitest run test/config-file/schema.test.ts --update`, with the flag last: a path behind it is taken for its value.
it("the published JSON Schema changes only with this digest", () => {
  const digest = createHash("sha256").update(JSON.stringify(schema)).digest("hex");
  expect(digest).toMatchInlineSnapshot(`"086c09efafcd6589ecd07d095e1e924b25d55d057325736fbf14f5cdd5c16d1a"`);
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
