import { getRequestListener } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { unloop, webTransport } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { finalText } from "../support/agents/scripts.ts";
import { bodyOf } from "../support/servers/http.ts";
import { serverOf, upstreamOf } from "../support/servers/of-test.ts";

// What a parser loses: a number beyond a double's, the order of keys, blanks.
const body = '{ "seed": 12345678901234567890, "model": "m",\n "messages": [{"role": "user", "content": "Grüße"}] }';

const upstream = () => upstreamOf(() => ({ kind: "text", text: finalText }));
const paths = ["/v1/chat/completions", "/v1/embeddings"];

describe("a body that middleware of Hono has read", () => {
  async function asked(read: (context: Parameters<MiddlewareHandler>[0]) => unknown, path: string) {
    const { url, requests } = await upstream();
    const app = new Hono()
      .use(async (context, next) => {
        await read(context);
        await next();
      })
      .route("/llm", unloop({ upstream: url }));
    const headers = { "content-length": String(Buffer.byteLength(body)) };
    const response = await app.request(`/llm${path}`, { method: "POST", headers, body });
    return { response, sent: requests.map(({ bytes }) => String(bytes)) };
  }

  it.each(["json", "text", "arrayBuffer"] as const)("by %s() arrives upstream byte for byte", async (method) => {
    for (const path of paths) {
      const { response, sent } = await asked(({ req }) => req[method](), path);
      expect([response.status, sent]).toEqual([200, [body]]);
    }
  });

  it("from the request itself is gone: refused, with the cure", async () => {
    for (const path of paths) {
      const { response, sent } = await asked(({ req }) => req.raw.json(), path);
      expect([response.status, sent]).toEqual([500, []]);
      expect(await response.json()).toMatchObject({ error: { code: "body_read_before", message: /Mount Unloop/ } });
    }
  });
});

const kept = [
  { as: "rawBody", parse: (rawBody: Buffer) => ({ body: JSON.parse(String(rawBody)), rawBody }) },
  { as: "bytes", parse: (text: Buffer) => ({ body: text }) },
  { as: "a text", parse: (text: Buffer) => ({ body: String(text) }) },
];

describe.each([
  { transport: nodeTransport, name: "nodeTransport", places: kept },
  // Here @hono/node-server makes the request, which looks in one place.
  { transport: webTransport, name: "webTransport", places: kept.slice(0, 1) },
])("a body that a parser has read in front of a server of Node, with $name", ({ transport, places }) => {
  it.each(places)("is taken where it is kept as $as", async ({ parse }) => {
    const { url, requests } = await upstream();
    const moves = transport();
    onTestFinished(() => moves.close());
    const guard = getRequestListener(new Hono().route("/llm", unloop({ upstream: url, transport: moves })).fetch);
    const host = await serverOf(async (incoming, outgoing) => {
      Object.assign(incoming, parse(await bodyOf(incoming)));
      await guard(incoming, outgoing);
    });
    const headers = { "content-type": "application/json" };
    for (const path of paths)
      expect((await fetch(`${host}/llm${path}`, { method: "POST", headers, body })).status).toBe(200);
    expect(requests.map(({ bytes }) => String(bytes))).toEqual([body, body]);
  });
});
