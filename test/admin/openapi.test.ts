import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openApi, operations } from "../../src/admin/api/operations.ts";

const document = openApi("0.1.0");
const written = `${JSON.stringify(document, null, 2)}\n`;

describe("the admin API's OpenAPI document", () => {
  it("is published as it is served (renew it with `npx vitest run -u test/admin/openapi.test.ts`)", async () => {
    await expect(written).toMatchFileSnapshot("../../docs/openapi.json");
  });

  it("refers to nothing that there is not", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "openapi.json");
    for (const name of Object.keys(Object(document.components).schemas))
      expect(() => ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` })).not.toThrow();
    const refs = [...written.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
    expect(refs.length).toBeGreaterThan(30);
    for (const [, kind = "", name = ""] of refs) expect(document.components).toHaveProperty([kind, name]);
  });

  it("names each operation once, with the role it takes", () => {
    const ids = [...written.matchAll(/"operationId": "(\w+)"/g)].map(([, id]) => id);
    expect(ids.sort()).toEqual(Object.keys(operations).sort());
    expect(written.match(/"x-unloop-role": "operate"/g)).toHaveLength(4);
  });
});
