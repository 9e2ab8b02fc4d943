import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { answerTo } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import type { RawAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import { agent, type Turn } from "./agent.ts";
import { guardBefore, guardRig, post } from "./guard-rig.ts";

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

  it("a stream, piece by piece", async () => {
    const rig = await guardRig(raw({ pieces: ["event: a\n\n"], ending: "hang" }));
    const answer = await answerTo(`${rig.url}/v1/threads/1/runs/1/events`);
    expect(String(await once(answer, "data"))).toBe("event: a\n\n");
    answer.destroy();
  });
});

describe("an upstream's error passes unchanged", () => {
  const fields = {
    "content-type": "application/json; charset=utf-8",
    "retry-after": "7",
    "retry-after-ms": "6900",
    "x-request-id": "req_1",
    "x-should-retry": "true",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "6ms",
    "openai-processing-ms": "12",
  };
  const body = '{ "error": {"message":"Rate limit reached", "type":"tokens","param":null, "code":"rate_limit"} }\n';

  it.each([401, 503])("an upstream's status %i passes unchanged", async (status) => {
    const rig = await guardRig(raw({ status, fields, pieces: [body] }));
    const given = await post(rig.url, hi);
    expect(given.status).toBe(status);
    expect(Object.fromEntries(given.headers)).toMatchObject(fields);
    expect(given.text).toBe(body);
    expect(rig.upstream.requests).toHaveLength(1);
  });

  it("an upstream's error does not count: the run goes on where it was", async () => {
    let fails = false;
    const rig = await guardRig(() =>
      fails
        ? { kind: "error", status: 503, message: "overloaded" }
        : { kind: "calls", calls: [{ tool: "search", args: '{"q":"Paris"}' }] },
    );
    const run = agent(rig);
    const turns: Turn[] = [];
    for (let i = 0; i < 8; i += 1) {
      fails = i % 2 === 1;
      turns.push(await run.turn());
    }
    const verdicts = turns.filter(({ status }) => status === 200).map((turn) => turn.headers.get("x-unloop-verdict"));
    expect(verdicts).toEqual(["ok", "ok", "ok", "nudge"]);
  });
});

describe("an error of the guard's own", () => {
  it("says in the API's shape that the upstream cannot be reached, and what to do", async () => {
    const { url, logged } = await guardBefore("http://127.0.0.1:1");
    const given = await post(url, hi);
    expect(given.status).toBe(502);
    expect(given.headers.get("content-type")).toBe("application/json");
    expect(given.headers.get("x-unloop-verdict")).toBe("ok");
    expect(JSON.parse(given.text)).toEqual({
      error: {
        message: expect.stringMatching(/^The upstream could not be reached \(ECONNREFUSED\)\. Check /),
        type: "api_error",
        param: null,
        code: "upstream_unreachable",
      },
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ event: "exchange", status: 502, broke: "upstream_unreachable" }),
    );
  });

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
