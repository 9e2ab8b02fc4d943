import { describe, expect, it } from "vitest";
import { UnloopError } from "../../../src/errors.ts";
import { forward, joinUpstream, redirectBehind } from "../../../src/proxy/relay/forward.ts";
import { observe } from "../../../src/proxy/relay/ask-upstream.ts";
import type { AnswerSink, Exchange, Fields, Transport } from "../../../src/transport/transport.ts";

async function forwarded(fields: Fields, answered: Fields = {}, method = "POST") {
  const sent: Fields[] = [];
  const heads: Fields[] = [];
  const answer: AnswerSink = { head: (_, head) => heads.push(head), write: () => undefined, end() {}, fail() {} };
  const exchange: Exchange = {
    method,
    target: "/v1/chat/completions",
    fields,
    gone: new AbortController().signal,
    body: async () => new Uint8Array(),
    stream: () => (async function* () {})(),
    answer,
  };
  const transport: Transport = {
    accept: () => Promise.reject(new Error("not asked for")),
    async send(request, sink) {
      sent.push(request.fields);
      sink.head(200, answered);
      sink.end();
    },
    close: async () => undefined,
  };
  await forward(exchange, { transport, upstream: new URL("https://api.example/v1") });
  return { sent: sent[0], answered: heads[0] };
}

const hop = { "keep-alive": "timeout=5", "transfer-encoding": "chunked", "x-hop": "1" };

describe("forward", () => {
  it("keeps back what concerns this connection only, and what is meant for us", async () => {
    const fields = {
      ...hop,
      host: "127.0.0.1:8787",
      connection: "keep-alive, X-Hop ,close",
      "proxy-authorization": "Basic x",
      "proxy-connection": "keep-alive",
      te: "trailers",
      trailer: "x-sum",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAAQAAP__",
      expect: "100-continue",
      "x-unloop-session": "s",
      "x-unloop-mode": "observe",
    };
    expect((await forwarded({ ...fields, accept: "*/*" })).sent).toEqual({ accept: "*/*" });
  });

  it("passes the answer's fields on but for those of the connection", async () => {
    const fields = {
      "content-type": "application/json",
      "content-length": "2",
      "retry-after": "1",
      "x-request-id": "req_1",
      "set-cookie": ["a=1", "b=2"],
    };
    const { answered } = await forwarded({}, { ...fields, ...hop, connection: "close, x-hop" });
    expect(answered).toEqual(fields);
  });

  it("refuses WebSockets without a way for them, but not the offer of another HTTP version", async () => {
    const refusal = { code: "upgrade_unsupported", status: 501 };
    const asked = { connection: "Upgrade", upgrade: "WebSocket" };
    await expect(forwarded(asked, {}, "GET")).rejects.toMatchObject(refusal);
    await expect(forwarded({ ...asked, upgrade: "h2c" }, {}, "GET")).resolves.toBeDefined();
  });

  it("is not led astray by a field named __proto__", async () => {
    const { sent } = await forwarded(JSON.parse('{"__proto__": ["x"], "accept": "*/*"}'));
    expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
  });
});

it("an answer that is observed passes untouched, its sink's patience comes back, and it is read behind its end", () => {
  const came: unknown[] = [];
  const patience = Promise.resolve();
  const answer = { id: "c", step: { calls: [], text: "hi", heard: [] }, finishReason: "stop", usage: undefined };
  const sink: AnswerSink = {
    head: (...head) => came.push("head", ...head),
    write(bytes) {
      came.push(bytes);
      return patience;
    },
    end: () => came.push("end"),
    fail: (reason) => came.push("fail", reason),
  };
  const tap = (contentType: string) => {
    came.push(contentType);
    const reader = { isStream: () => false, readTo: () => 0, end: () => answer, close: () => undefined };
    return { ...reader, push: (bytes: Uint8Array) => came.push(`read ${bytes}`) };
  };
  const observed = observe(sink, { tap });
  const [json, bytes] = [{ "content-type": "application/json" }, Buffer.from("ab")];
  observed.head(200, json);
  expect(observed.write(bytes)).toBe(patience);
  observed.end();
  observed.fail("late");
  expect(came).toEqual(["application/json", "head", 200, json, `read ${bytes}`, bytes, "end"]);
  expect(observed.observed()).toEqual({ answer, status: 200 });
});

describe("joinUpstream", () => {
  it.each([
    ["https://host/v1", "/v1/chat/completions?x=1", "https://host/v1/chat/completions?x=1"],
    ["https://host/v1/", "/chat/completions", "https://host/v1/chat/completions"],
    ["https://host/v1", "/v1?a", "https://host/v1?a"],
    ["https://host/v1", "/v10/models", "https://host/v1/v10/models"],
    ["https://host", "/a%2Fb%7e?q=%22%20+&&=?/../x", "https://host/a%2Fb%7e?q=%22%20+&&=?/../x"],
    ["https://host/v1", "//evil.example/x", "https://host/v1//evil.example/x"],
    ["https://host", "/@evil.example/x", "https://host/@evil.example/x"],
    // A base with a version of its own takes the place of the agent's.
    ["https://host/api/coding/paas/v4", "/v1/chat/completions", "https://host/api/coding/paas/v4/chat/completions"],
    ["https://host/api/v3", "/v1/chat/completions?x=1", "https://host/api/v3/chat/completions?x=1"],
    ["https://host/v2/", "//v1/chat/completions", "https://host/v2/chat/completions"],
    ["https://host/v1beta/openai", "/v1/chat/completions", "https://host/v1beta/openai/chat/completions"],
    ["https://host/proxy", "/v1/responses", "https://host/proxy/v1/responses"],
    ["https://host/v1/openai", "/v1/chat/completions", "https://host/v1/openai/chat/completions"],
    ["https://host/v1beta", "/v1beta/models/m:generateContent", "https://host/v1beta/models/m:generateContent"],
    ["https://host/v2.1", "/v1/embeddings", "https://host/v2.1/embeddings"],
    ["https://host/v4", "/chat/completions", "https://host/v4/chat/completions"],
    ["https://host/v1", "/v1beta/models/m:generateContent", "https://host/v1/v1beta/models/m:generateContent"],
    ["https://host/v1/a/gateway/anthropic", "/v1/messages", "https://host/v1/a/gateway/anthropic/v1/messages"],
  ])("puts %s and %s together", (base, target, url) => {
    const { origin, path } = joinUpstream(new URL(base), target);
    expect(origin + path).toBe(url);
  });

  it.each([
    ...["", "v1/models", "*", "@evil.example", "http://evil.example/", "/..", "/v1/../admin", "/v1/./x"],
    ...["/v1/%2e%2E/admin", "/v1/.%2e", "/v1\\..\\admin", "/v1/..%2fadmin", "/v1/a b", "/v1/.\t./admin"],
    ...["/v1/\r\nx: y", "/v1/\u0100", "/v1/..;/admin", "/v1/%252e%252e/admin", "/v1/%25252e%25252e%252fadmin"],
    "/v1/models#frag",
  ])("refuses %j", (target) => {
    expect(() => joinUpstream(new URL("https://host/v1"), target)).toThrow(UnloopError);
  });
});

it.each([
  [
    "to the upstream stays behind the guard",
    "https://api.example/api/v3/chat/completions/",
    "/session/a/groq/v1/chat/completions/",
  ],
  ["by a path does", "/api/v3/other?x=1#y", "/session/a/groq/v1/other?x=1#y"],
  ["relative to the request is as it came", "completions/", "completions/"],
  ["to another host is as it came", "https://files.example/1", "https://files.example/1"],
  [
    "by another scheme is as it came",
    "http://api.example/api/v3/chat/completions",
    "http://api.example/api/v3/chat/completions",
  ],
  ["that leaves the base names the upstream", "/login", "https://api.example/login"],
  ["that is no URL is as it came", "http://[", "http://["],
])("a redirect %s", (_, location, told) => {
  const asked = { target: "/v1/chat/completions", mount: "/session/a/groq" };
  expect(redirectBehind(location, new URL("https://api.example/api/v3"), asked)).toBe(told);
});
