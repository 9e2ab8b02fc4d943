import { Ajv2020 } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/admin/api/api.ts";
import type { Operation } from "../../src/admin/api/operation.ts";
import { version } from "../../src/version.ts";

const written = readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8");
const document = JSON.parse(written);

/** Each object of the document that is a schema with properties. */
function objectsIn(value: unknown, at = ""): readonly { at: string; schema: Record<string, object> }[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => objectsIn(one, `${at}/${key}`));
  const { type, properties } = value as { type?: unknown; properties?: Record<string, object> };
  return type === "object" && properties !== undefined ? [{ at, schema: properties }, ...inner] : inner;
}

const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === "description" && typeof one === "string" ? undefined : one)));

// What is answered is held against it by every call of the admin tests (api-rig.ts).
describe("the admin API's OpenAPI document", () => {
  it("is that of this version", () => {
    expect(document.info.version).toBe(version);
  });

  it.each(Object.entries<Operation>(operations))("tells how to ask %s, and with which role", (id, operation) => {
    const { method, path, role, query = {}, body } = operation;
    const told = document.paths[path][method];
    expect(told).toMatchObject({ operationId: id, "x-unloop-role": role, summary: expect.stringMatching(/\.$/) });
    const parameters: { name: string; in: string; schema: object; description?: string }[] = told.parameters ?? [];
    const inQuery = parameters.filter((one) => one.in === "query");
    expect(inQuery.map(({ name, schema }) => [name, schema])).toEqual(
      Object.entries(query).map(([name, { schema }]) => [name, schema]),
    );
    for (const { description } of inQuery) expect(description).toMatch(/\.$/);
    const asked = told.requestBody?.content["application/json"].schema;
    expect(withoutDescriptions(asked ?? null)).toEqual(body?.schema ?? null);
  });

  it("tells of no operation that there is not", () => {
    const told = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const known = Object.values<Operation>(operations).map(({ method, path }) => `${method} ${path}`);
    expect(told.sort()).toEqual(known.sort());
  });

  it("refers to nothing that there is not", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "openapi.json");
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` })).not.toThrow();
    const refs = [...written.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
    expect(refs.length).toBeGreaterThan(30);
    for (const [, kind = "", name = ""] of refs) expect(document.components).toHaveProperty([kind, name]);
  });

  it("leaves no field without a word", () => {
    const objects = objectsIn(document);
    expect(objects.length).toBeGreaterThan(20);
    const isExplained = (field: object): boolean =>
      ["description", "$ref", "properties"].some((key) => key in field) ||
      ("anyOf" in field && isExplained((field.anyOf as readonly object[])[0] ?? {}));
    for (const { at, schema } of objects)
      for (const [name, field] of Object.entries(schema)) expect(isExplained(field), `${at}: ${name}`).toBe(true);
  });
});
