import { describe, expect, it } from "vitest";
import { type Forwarding, forward } from "../../../src/proxy/relay/forward.ts";
import type { AnswerSink, Exchange, Fields, Transport, UpstreamRequest } from "../../../src/transport/transport.ts";

/** Forwards one exchange over a transport that answers with `answered`, and tells what went each way. */
async function forwarded(fields: Fields, forwarding: Partial<Forwarding> = {}, answered: Fields = {}) {
  const sent: UpstreamRequest[] = [];
  const heads: Fields[] = [];
  const answer: AnswerSink = { head: (_, head) => heads.push(head), write: () => undefined, end() {}, fail() {} };
  const stream = (async function* () {})();
  const exchange: Exchange = {
    method: "POST",
    target: "/v1/chat/completions",
    fields,
    gone: new AbortController().signal,
    body: async () => new Uint8Array(),
    stream: () => stream,
    answer,
  };
  const transport: Transport = {
    accept: () => Promise.reject(new Error("not asked for")),
    async send(request, sink) {
      sent.push(request);
      sink.head(200, answered);
      sink.end();
    },
    close: async () => undefined,
  };
  await forward(exchange, { transport, upstream: new URL("https://api.example/v1"), ...forwarding });
  const request = sent[0];
  if (request === undefined) throw new Error("nothing was sent");
  return { request, answered: heads[0], stream };
}

describe("forward", () => {
  it("keeps back what concerns this connection only, and what is meant for us", async () => {
    const fields = {
      host: "127.0.0.1:8787",
      connection: "keep-alive, X-Hop ,close",
      "keep-alive": "timeout=5",
      "proxy-authorization": "Basic x",
      "proxy-connection": "keep-alive",
      te: "trailers",
      trailer: "x-sum",
      "transfer-encoding": "chunked",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAAQAAP__",
      expect: "100-continue",
      "x-hop": "1",
      "x-unloop-session": "s",
      "x-unloop-mode": "observe",
      accept: "*/*",
    };
    expect((await forwarded(fields)).request.fields).toEqual({ accept: "*/*" });
  });

  it("passes the answer's fields on but for those of the connection", async () => {
    const fields = {
      "content-type": "application/json",
      "content-length": "2",
      "retry-after": "1",
      "x-request-id": "req_1",
      "set-cookie": ["a=1", "b=2"],
    };
    const hop = { connection: "close, x-hop", "x-hop": "1", "transfer-encoding": "chunked", "keep-alive": "timeout=5" };
    expect((await forwarded({}, {}, { ...fields, ...hop })).answered).toEqual(fields);
  });

  it("refuses WebSockets but not the offer of another HTTP version", async () => {
    await expect(forwarded({ upgrade: "WebSocket" })).rejects.toMatchObject({
      code: "upgrade_unsupported",
      status: 501,
    });
    await expect(forwarded({ upgrade: "h2c" })).resolves.toBeDefined();
  });

  it("is not led astray by a field named __proto__", async () => {
    const fields = JSON.parse('{"__proto__": ["x"], "accept": "*/*"}') as Fields;
    const { request } = await forwarded(fields);
    expect(Object.getPrototypeOf(request.fields)).toBe(Object.prototype);
  });
});
