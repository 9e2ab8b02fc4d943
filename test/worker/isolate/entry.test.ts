import { describe, expect, it } from "vitest";
import { keyedHash } from "../../../src/text/keyed-hash.ts";
import { deployedWorker, misconfiguredWorker } from "../seams/bindings.ts";

const asked = (path: string) => deployedWorker.fetch(`https://guard.example${path}`);

describe("the deployed Worker", () => {
  it("is well and ready", async () => {
    expect(await (await asked("/unloop/healthz")).json()).toEqual({ status: "ok" });
    expect(await (await asked("/unloop/readyz")).json()).toEqual({ status: "ready" });
  });

  it.each(["/unloop/", "/unloop/metrics", "/unloop/anything/else"])(
    "passes nothing at %s on to the upstream",
    async (path) => {
      const response = await asked(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
    },
  );

  it("tells every request what is wrong with its settings, and no SDK to ask again", async () => {
    for (const path of ["/v1/chat/completions", "/unloop/readyz"]) {
      const response = await misconfiguredWorker.fetch(`https://guard.example${path}`, { method: "POST", body: "{}" });
      expect(response.status).toBe(500);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await response.json()).toMatchObject({
        error: { code: "bad_setting", message: expect.stringContaining("UNLOOP_PORT has no effect") },
      });
    }
  });
});

it("signatures made in workerd are those that Node makes, so that stores mean the same to both", () => {
  const sign = keyedHash("a secret of sixteen characters");
  expect(sign("ループ🙂")).toBe("J-dbN_Gve7avVHot");
});
