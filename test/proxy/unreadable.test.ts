import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { guardRig } from "./guard-rig.ts";

/* What a hostile client could send past the guard, and its budgets. */

const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
const json = { "content-type": "application/json" };
const done = () => ({ kind: "text", text: "Done." }) as const;

const bodies: readonly { readonly name: string; readonly body: BodyInit; readonly headers?: Record<string, string> }[] =
  [
    { name: "in an unknown coding", body: gzipSync(body), headers: { "content-encoding": "x-unknown" } },
    { name: "in UTF-16", body: Buffer.from(body, "utf16le") },
    { name: "of another shape", body: '{"model":"m","messages":"hi"}' },
  ];

const paths = [
  "/v1/chat/%63ompletions",
  "/v1/chat/%2563ompletions",
  "/v1/chat/completions;x=1",
  "/v1/chat;y/completions",
  "/v1/Chat/COMPLETIONS",
  "/v1\\chat\\completions",
];

describe("a request to a guarded API that cannot be read", () => {
  it.each(bodies)("is refused where the operator says so ($name)", async ({ body: sent, headers }) => {
    const { url, upstream } = await guardRig(done, { unreadable: "refuse" });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: sent,
      headers: { ...json, ...headers },
    });
    expect([response.status, response.headers.get("x-unloop-verdict")]).toEqual([400, "refused"]);
    expect(await response.json()).toMatchObject({ error: { code: "unreadable", type: expect.any(String) } });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([...paths.map((path) => ({ method: "POST", path })), { method: "PUT", path: "/v1/chat/completions" }])(
    "is refused as $method $path, too",
    async ({ method, path }) => {
      const { url, upstream } = await guardRig(done, { unreadable: "refuse" });
      const { request } = await import("node:http");
      const { hostname, port } = new URL(url);
      const status = await new Promise((resolve, reject) =>
        request({ hostname, port, method, path, headers: json }, (answer) => resolve(answer.resume().statusCode))
          .on("error", reject)
          .end(body),
      );
      expect(status).toBe(400);
      expect(upstream.requests).toHaveLength(0);
    },
  );

  it.each([
    { method: "POST", path: "/v1/chat/completions" },
    { method: "POST", path: "/v1/embeddings" },
    { method: "POST", path: "/v1/messages/count_tokens" },
    { method: "GET", path: "/v1/responses/resp_1" },
    { method: "GET", path: "/v1/models/" },
  ])("is no other request: $method $path passes", async ({ method, path }) => {
    const { url } = await guardRig(done, { unreadable: "refuse" });
    const { status } = await fetch(url + path, { method, headers: json, ...(method === "POST" && { body }) });
    expect(status).not.toBe(400);
  });
});
