import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { Agent, buildConnector, Pool } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { relay, tellingClient, upstreamPlaces } from "../../src/transport/node-relay.ts";
import { type NodeTransport, nodeTransport } from "../../src/transport/node.ts";
import { abortable, type AnswerSink, type Exchange } from "../../src/transport/transport.ts";
import { transportContract } from "../contracts/transport.ts";
import { answerTo, deferred, type Front, rawConnection, transportRig } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";
import { serverOf } from "../support/servers/of-test.ts";

const withoutHono: Front<NodeTransport> = (transport, run) => (incoming, outgoing) => {
  transport.take(incoming, outgoing, run);
  return true;
};

transportContract("nodeTransport", nodeTransport);
transportContract("nodeTransport, without Hono", nodeTransport, {}, withoutHono);

describe("an exchange taken without Hono", () => {
  const rig = transportRig(nodeTransport, withoutHono);

  it.each([
    { name: "gives no answer", run: async () => undefined },
    { name: "fails", run: () => Promise.reject(new Error("a mistake")) },
  ])("is answered with 500 when whoever runs it $name", async ({ run }) => {
    const answer = await answerTo(await rig.proxy("http://127.0.0.1:1", { run }));
    expect(answer.statusCode).toBe(500);
    expect(await bodyOf(answer)).toHaveLength(0);
  });

  it("is broken off when whoever runs it fails within the answer", async () => {
    const run = async ({ answer }: Exchange) => {
      answer.head(200, {});
      answer.write(Buffer.from("begun"));
      throw new Error("a mistake");
    };
    const answer = await answerTo(await rig.proxy("http://127.0.0.1:1", { run }));
    await expect(bodyOf(answer)).rejects.toThrow("aborted");
  });
});

describe("nodeTransport's connections", () => {
  const rig = transportRig(nodeTransport);

  it("uses one upstream connection for one request after another", async () => {
    const ports = new Set<number | undefined>();
    const upstream = await rig.upstream(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end();
    });
    const url = await rig.proxy(upstream);
    for (let i = 0; i < 3; i += 1) await bodyOf(await answerTo(url));
    expect(ports.size).toBe(1);
  });

  it("loses no piece of a body that arrives while its connection is lost", async () => {
    const used = new WeakSet<object>();
    const bodies: string[] = [];
    const origin = await rig.upstream(async (incoming, response) => {
      if (used.has(incoming.socket)) return incoming.once("data", () => incoming.socket.resetAndDestroy());
      used.add(incoming.socket);
      bodies.push(String(await bodyOf(incoming)));
      return response.end();
    });
    const [isLost, connect] = [deferred<void>(), buildConnector({})];
    const agent = new Agent({ factory: (to, own) => new Pool(to, { ...own, factory: tellingClient }) });
    const fresh = new Agent({
      connect: (options, done) => {
        isLost.resolve();
        void setImmediate().then(() => connect(options, done));
      },
    });
    const upstreams = { agent, fresh, takePlace: upstreamPlaces(1, 1) };
    const nothing = () => undefined;
    const sink: AnswerSink = { head: nothing, write: nothing, end: nothing, fail: nothing };
    const asked = { method: "POST", origin, path: "/v1/files", fields: {}, signal: abortable() };
    const pieces = ["a".repeat(1024 * 1024 - 10), "b".repeat(9), "c"];
    const fields = { "content-length": String(1024 * 1024) };
    async function* body() {
      for (const piece of pieces) {
        if (piece !== pieces[0]) await isLost.promise;
        yield Buffer.from(piece);
      }
    }
    await relay(upstreams, { ...asked, body: Buffer.from("first") }, sink);
    // Its connection is free behind this.
    await setImmediate();
    await relay(upstreams, { ...asked, fields, body: body() }, sink);
    expect(bodies.map((text) => text.length)).toEqual([5, 1024 * 1024]);
    await Promise.all([agent.destroy(), fresh.destroy()]);
  });

  it("answers HEAD once where node-server has its own Request and Response", async () => {
    const { Request, Response } = globalThis;
    const told = vi.spyOn(console, "error").mockReturnValue();
    const app = new Hono().all("*", (context) =>
      nodeTransport().accept(context, async ({ answer }) => {
        answer.head(203, { "content-length": "5" });
        answer.end();
      }),
    );
    onTestFinished(() => {
      Object.assign(globalThis, { Request, Response });
      told.mockRestore();
    });
    const { socket, received } = rawConnection(await serverOf(getRequestListener(app.fetch)));
    socket.write("HEAD / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    await once(socket, "close");
    expect(received()).toMatch(/^HTTP\/1\.1 203 [\s\S]*content-length: 5\r\n/i);
    expect(told).not.toHaveBeenCalled();
  });

  it("refuses to work where there are no node objects", async () => {
    const app = new Hono().all("*", (context) => nodeTransport().accept(context, async () => undefined));
    let message = "";
    app.onError((error, context) => {
      message = error.message;
      return context.text("", 500);
    });
    await app.request("/");
    expect(message).toContain("choose `webTransport` elsewhere");
  });
});

const rig = transportRig(nodeTransport);
const hidden = "GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n";

it.each([
  {
    name: "a length beside a transfer coding",
    head: `content-length: ${hidden.length + 5}\r\ntransfer-encoding: chunked`,
    body: `0\r\n\r\n${hidden}`,
  },
  { name: "two lengths", head: `content-length: 0\r\ncontent-length: ${hidden.length}`, body: hidden },
  { name: "an unknown transfer coding", head: "transfer-encoding: xchunked", body: `0\r\n\r\n${hidden}` },
  { name: "a coding hidden by white space", head: "transfer-encoding : chunked", body: `0\r\n\r\n${hidden}` },
])("request smuggling through node's server refuses $name", async ({ head, body }) => {
  const targets: (string | undefined)[] = [];
  const upstream = await rig.upstream((incoming: IncomingMessage, response: ServerResponse) => {
    targets.push(incoming.url);
    response.end();
  });
  const { socket, until } = rawConnection(await rig.proxy(upstream));
  socket.write(`POST /seen HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${body}`);
  await until("400 Bad Request");
  expect(targets).not.toContain("/hidden");
  socket.destroy();
});
