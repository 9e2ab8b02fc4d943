import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { refuseWrong } from "../../src/admin/api/inputs.ts";
import type { Operation } from "../../src/admin/api/operation.ts";
import { openApi, operations, type OperationId } from "../../src/admin/api/operations.ts";
import { object } from "../../src/shapes/shapes.ts";
import { schemaOf } from "./api-rig.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(openApi("0.1.0"), "api");

function mayBe(id: OperationId, body: unknown): boolean {
  const validate = ajv.getSchema(`api${schemaOf(id, "requestBody")}`);
  if (validate === undefined) throw new Error(`There is no schema of ${id}'s body.`);
  return validate(body) === true;
}

/** One for each operation that takes one. */
const bodies = [
  { id: "containSession", body: { reason: "costly", minutes: 5 } },
  { id: "releaseSession", body: { reason: "paid" } },
  { id: "resetSession", body: { reason: "paid" } },
  { id: "rateSession", body: { right: false, reason: "a load test" } },
  { id: "explain", body: { path: "/v1", headers: { a: "b" }, model: "m", client: "c", tenant: "t", session: "s" } },
  { id: "dryRun", body: { policy: "default", against: { name: "a" }, sessions: ["s"] } },
  {
    id: "decide",
    body: {
      request: { messages: [{ role: "user", content: "Go." }] },
      wire: "chat-completions",
      session: "s",
      policy: "default",
      mode: "observe",
      path: "/v1",
      headers: { a: "b" },
      answer: "",
      reasked: ["nudge"],
    },
  },
] as const;

const odd: readonly unknown[] = [null, true, -1, 0.5, "", [], [null], { a: 1 }];

/** Each field of it as something else, each left out, and one too many. */
function wrongs(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const changed = Object.keys(body).flatMap((name) => odd.map((value) => ({ ...body, [name]: value })));
  const without = Object.keys(body).map((left) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== left)),
  );
  return [...changed, ...without, ...odd, { ...body, minuets: 5 }];
}

describe("what the document of the admin API does not allow", () => {
  it("has an operation of each shape here", () => {
    const taking = Object.entries(operations).filter(([, operation]) => "body" in operation);
    expect(new Set(bodies.map(({ id }) => id))).toEqual(new Set(taking.map(([id]) => id)));
  });

  it("is refused as a body", () => {
    for (const { id, body } of bodies) {
      const { body: shape } = operations[id];
      expect(() => refuseWrong(shape, body, "body")).not.toThrow();
      expect(mayBe(id, body)).toBe(true);
      for (const wrong of wrongs(body).filter((one) => !mayBe(id, one)))
        expect(() => refuseWrong(shape, wrong, "body"), `${id} ${JSON.stringify(wrong)}`).toThrow(
          / must (?:be|have) | is not a field /,
        );
    }
  });

  it("is refused as a query", () => {
    for (const { query = {} } of Object.values<Operation>(operations)) {
      const refusing = (given: object) => expect(() => refuseWrong(object(query), given, "query"));
      refusing({ limti: "5" }).toThrow('"limti" is not a field of this query');
      for (const [name, { schema }] of Object.entries(query))
        for (const wrong of "minimum" in schema
          ? ["x", "", "1.5", "0", "201"]
          : "enum" in schema || "pattern" in schema
            ? ["", "!", "nudgee"]
            : [])
          refusing({ [name]: wrong }).toThrow(name);
    }
  });
});
