import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, unknown>>;
}

const published = new URL("../../docs/openapi.json", import.meta.url);
const { paths } = JSON.parse(readFileSync(published, "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, described })),
);

/** Texts that are not what the schema says; every text is one of some schemas. */
function wrongFor({ type, enum: choices, pattern, minimum, maximum }: Schema): readonly string[] {
  return [
    ...(type === "integer" ? ["x", "", "1.5", String(Number(minimum) - 1), String(Number(maximum) + 1)] : []),
    ...(choices === undefined ? [] : ["", `${choices[0]}e`, choices.join(",")]),
    ...(pattern === undefined ? [] : ["", "!", "nudge"].filter((text) => !new RegExp(pattern).test(text))),
  ];
}

describe("what the published document of the admin API does not allow is refused", () => {
  let guard: Awaited<ReturnType<typeof startGuard>>;
  beforeAll(async () => {
    guard = await startGuard({ upstream: "http://127.0.0.1:9" });
  });
  afterAll(() => guard.close());

  it.each(operations)("$method $path", async ({ path, method, described }) => {
    const { parameters = [], requestBody, responses } = described;
    const refusalOf = async (query: string) => {
      const url = `${guard.adminUrl}/unloop/api${path.replace(/\{\w+\}/, "default")}${query}`;
      const answer = await fetch(url, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${guard.adminToken}`, "content-type": "application/json" },
        ...(requestBody !== undefined && { body: "{}" }),
      });
      const { error } = (await answer.json()) as { error: { message: string } };
      return `${answer.status} ${error.message}`;
    };
    expect(responses).toHaveProperty("400");
    expect(await refusalOf("?limti=5")).toContain('400 "limti" is not a field of this query');
    for (const { name, schema } of parameters.filter((one) => one.in === "query"))
      for (const wrong of wrongFor(schema))
        expect(await refusalOf(`?${name}=${encodeURIComponent(wrong)}`), `${name}=${wrong}`).toContain(`400 ${name} `);
  });
});
