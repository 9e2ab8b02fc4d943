import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { answerTo } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import type { RawAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import { guardRig } from "./guard-rig.ts";

const binary = Uint8Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256);
const hi = '{"messages":[{"role":"user","content":"hi"}]}';

function raw(answer: Partial<RawAnswer>): Script {
  return () => ({ kind: "raw", status: 200, fields: {}, pieces: [], ending: "end", ...answer });
}

describe("what is not guarded passes through both ways without a verdict", () => {
  it.each<readonly [method: string, path: string, body: string | Uint8Array<ArrayBuffer>]>([
    ["GET", "/v1/models/gpt-4o?x=%20y", ""],
    ["POST", "/v1/embeddings", '{"input":["a"]}'],
    // A compaction by the API.
    ["POST", "/v1/responses/compact", '{"input":[]}'],
    ["PUT", "/v1/uploads/1", binary],
    ["POST", "/v1/chat/completions/1", hi],
    ["PATCH", "/some/where?else=1", "x"],
  ])("%s %s", async (method, path, body) => {
    const rig = await guardRig(
      raw({ status: 207, fields: { "content-type": "image/png", "x-request-id": "r1" }, pieces: [binary] }),
    );
    const pieces = body === "" ? [] : [Buffer.from(body)];
    const headers = { "x-unloop-session": "a" };
    const answer = await answerTo(rig.url + path, { method, pieces, headers });
    expect(answer.statusCode).toBe(207);
    expect(answer.headers).toMatchObject({ "content-type": "image/png", "x-request-id": "r1" });
    expect(Object.keys(answer.headers).filter((name) => /unloop|server-timing/.test(name))).toEqual([]);
    expect(await bodyOf(answer)).toEqual(Buffer.from(binary));
    const [received] = rig.upstream.requests;
    expect([received?.method, received?.target]).toEqual([method, path]);
    expect(received?.bytes).toEqual(Buffer.concat(pieces));
  });
});

describe("an error of the guard's own", () => {
  it("refuses a path that climbs, and tells SDKs not to repeat it", async () => {
    const rig = await guardRig(raw({}));
    const { hostname: host, port } = new URL(rig.url);
    const outgoing = request({ host, port, path: "/v1/../admin/chat/completions", method: "POST", agent: false }).end(
      hi,
    );
    const [answer] = await once(outgoing, "response");
    expect([answer.statusCode, answer.headers["x-should-retry"]]).toEqual([400, "false"]);
    expect(JSON.parse(String(await bodyOf(answer)))).toMatchObject({ error: { code: "bad_target" } });
    expect(rig.upstream.requests).toEqual([]);
  });
});
