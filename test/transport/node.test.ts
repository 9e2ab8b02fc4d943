import type { IncomingMessage, ServerResponse } from "node:http";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { type NodeTransport, nodeTransport } from "../../src/transport/node.ts";
import type { Exchange } from "../../src/transport/transport.ts";
import { transportContract } from "../contracts/transport.ts";
import { answerTo, type Front, rawConnection, transportRig } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";

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

  it("answers requests that came at once on one connection in their order", async () => {
    const url = await rig.proxy(await rig.upstream(({ url: target }, response) => response.end(`<${target}>`)));
    const { socket, received, until } = rawConnection(url);
    socket.write("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n");
    await until("</2>");
    expect(received().match(/<\/\d>/g)).toEqual(["</1>", "</2>"]);
    socket.destroy();
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

describe("request smuggling through node's server", () => {
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
  ])("refuses $name", async ({ head, body }) => {
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
});
