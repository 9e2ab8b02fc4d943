import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { answerTo } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import { guardRig, post } from "./guard-rig.ts";

const binary = Uint8Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256);
const hi = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
const done = () => ({ kind: "text", text: "Done." }) as const;

async function asked(url: string, method: string, path: string) {
  const { hostname, port } = new URL(url);
  const headers = { "content-type": "application/json" };
  const outgoing = request({ hostname, port, method, path, headers, agent: false }).end(method === "GET" ? "" : hi);
  const [answer] = await once(outgoing, "response");
  return { status: answer.statusCode, headers: answer.headers, body: String(await bodyOf(answer)) };
}

it.each<readonly [method: string, path: string, body: string | Uint8Array<ArrayBuffer>]>([
  ["GET", "/v1/models/gpt-4o?x=%20y", ""],
  ["POST", "/v1/embeddings", '{"input":["a"]}'],
  // A compaction by the API.
  ["POST", "/v1/responses/compact", '{"input":[]}'],
  ["PUT", "/v1/uploads/1", binary],
  ["POST", "/v1/chat/completions/1", hi],
  ["PATCH", "/some/where?else=1", "x"],
])("what is not guarded passes through both ways without a verdict: %s %s", async (method, path, body) => {
  const fields = { "content-type": "image/png", "x-request-id": "r1" };
  const rig = await guardRig(() => ({ kind: "raw", status: 207, fields, pieces: [binary], ending: "end" }));
  const pieces = body === "" ? [] : [Buffer.from(body)];
  const answer = await answerTo(rig.url + path, { method, pieces, headers: { "x-unloop-session": "a" } });
  expect(answer.statusCode).toBe(207);
  expect(answer.headers).toMatchObject(fields);
  expect(Object.keys(answer.headers).filter((name) => /unloop|server-timing/.test(name))).toEqual([]);
  expect(await bodyOf(answer)).toEqual(Buffer.from(binary));
  expect(rig.upstream.requests).toMatchObject([{ method, target: path, bytes: Buffer.concat(pieces) }]);
});

describe("where the operator says so, a request to a guarded API that cannot be read", () => {
  it.each([
    { name: "in an unknown coding", body: gzipSync(hi), headers: { "content-encoding": "x-unknown" } },
    { name: "in UTF-16", body: Buffer.from(hi, "utf16le") },
    { name: "of another shape", body: '{"model":"m","messages":"hi"}' },
  ])("is refused $name", async ({ body, headers }) => {
    const { url, upstream } = await guardRig(done, { unreadable: "refuse" });
    const given = await post(url, body as Uint8Array<ArrayBuffer>, headers);
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([400, "refused"]);
    expect(JSON.parse(given.text)).toMatchObject({ error: { code: "unreadable", type: expect.any(String) } });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    "POST /v1/chat%2Fcompletions",
    "POST /v1/chat/%2563ompletions",
    "POST /v1/chat/completions;x=1",
    "POST /v1/chat;y/completions",
    "POST /v1/Chat/COMPLETIONS",
    "POST /v1\\chat\\completions",
    "PUT /v1/chat/completions",
  ])("is refused as %s, too", async (line) => {
    const { url, upstream } = await guardRig(done, { unreadable: "refuse" });
    const [method = "", path = ""] = line.split(" ");
    expect((await asked(url, method, path)).status).toBe(400);
    expect(upstream.requests).toHaveLength(0);
  });

  it("is no other request", async () => {
    const { url } = await guardRig(done, { unreadable: "refuse" });
    const others = ["chat/completions", "embeddings", "messages/count_tokens"].map((path) => `POST /v1/${path}`);
    for (const line of [...others, "GET /v1/responses/resp_1", "GET /v1/models/"]) {
      const [method = "", path = ""] = line.split(" ");
      expect((await asked(url, method, path)).status, line).not.toBe(400);
    }
  });
});
