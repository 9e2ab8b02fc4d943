import { getRequestListener } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { unloop, webTransport } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { finalText } from "../support/agents/scripts.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

// What a parser loses: a number beyond a double's, the order of keys, blanks.
const body = '{ "seed": 12345678901234567890, "model": "m",\n "messages": [{"role": "user", "content": "Grüße"}] }';

async function upstreamAt() {
  const upstream = await upstreamOf(() => ({ kind: "text", text: finalText }));
  return upstream;
}

const post = (url: string) => fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
const guarded = "/v1/chat/completions";
const unguarded = "/v1/embeddings";

describe("a body that middleware of Hono has read", () => {
  const reading = (read: (context: Parameters<MiddlewareHandler>[0]) => unknown): MiddlewareHandler => {
    return async (context, next) => {
      await read(context);
      await next();
    };
  };

  async function asked(read: MiddlewareHandler, path: string) {
    const upstream = await upstreamAt();
    const app = new Hono().use(read).route("/llm", unloop({ upstream: upstream.url }));
    const headers = { "content-length": String(new TextEncoder().encode(body).byteLength) };
    const response = await app.request(`/llm${path}`, { method: "POST", headers, body });
    return { response, sent: upstream.requests.map(({ bytes }) => String(bytes)) };
  }

  it.each(["json", "text", "arrayBuffer"] as const)("by %s() arrives upstream byte for byte", async (method) => {
    for (const path of [guarded, unguarded]) {
      const { response, sent } = await asked(
        reading(({ req }) => req[method]()),
        path,
      );
      expect(response.status).toBe(200);
      expect(sent).toEqual([body]);
    }
  });

  it("from the request itself is gone: refused, with the cure", async () => {
    for (const path of [guarded, unguarded]) {
      const { response, sent } = await asked(
        reading(({ req }) => req.raw.json()),
        path,
      );
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ error: { code: "body_read_before", message: /Mount Unloop/ } });
      expect(sent).toEqual([]);
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
  async function asked(parse: (text: Buffer) => Partial<Record<"body" | "rawBody", unknown>>, path: string) {
    const upstream = await upstreamAt();
    const moves = transport();
    const listener = getRequestListener(
      new Hono().route("/llm", unloop({ upstream: upstream.url, transport: moves })).fetch,
    );
    const server = createServer(async (incoming: IncomingMessage, outgoing) => {
      Object.assign(incoming, parse(await buffer(incoming)));
      await listener(incoming, outgoing);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await moves.close();
    });
    const response = await post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/llm${path}`);
    return { response, sent: upstream.requests.map(({ bytes }) => String(bytes)) };
  }

  it.each(places)("is taken where it is kept as $as", async ({ parse }) => {
    for (const path of [guarded, unguarded]) {
      const { response, sent } = await asked(parse, path);
      expect(response.status).toBe(200);
      expect(sent).toEqual([body]);
    }
  });
});
