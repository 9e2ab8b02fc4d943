import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { unloop } from "../../src/index.ts";
import { type NodeTransportOptions, nodeTransport } from "../../src/transport/node.ts";
import { type ClientLimits, listen } from "../../src/transport/node-server.ts";
import { rawConnection } from "../contracts/transport-rig.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { post } from "./guard-rig.ts";

/* Clients that take what all share, connections, memory and time, and give nothing back. */

interface Limits extends Partial<ClientLimits>, NodeTransportOptions {
  readonly maxBodyBytes?: number;
}

async function guarded({ maxBodyBytes, ...limits }: Limits, script: Script = () => ({ kind: "text", text: "Done." })) {
  const upstream = await scriptedUpstream(script);
  const transport = nodeTransport(limits);
  const app = unloop({ upstream: upstream.url, transport, ...(maxBodyBytes && { maxBodyBytes }) });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0, ...limits });
  onTestFinished(async () => {
    await drain(0);
    await transport.close();
    await upstream.close();
  });
  return { url, drain };
}

function sending(url: string, text: string) {
  const { socket, received } = rawConnection(url);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(text);
  return { socket, received, closed };
}

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
const listing = "GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n";

describe("a client that falls silent", () => {
  it.each(["/v1/chat/completions", "/v1/files"])("within its request for %s is told so, and cut off", async (path) => {
    const { url } = await guarded({ clientIdleTimeoutMs: 200 });
    const { closed, received } = sending(url, `${head(path, 1_000)}{`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("before its answer gives the upstream's connection back", async () => {
    const pieces = Array(200).fill("x".repeat(64 * 1024));
    const long: Script = () => ({ kind: "raw", status: 200, fields: {}, pieces, ending: "end" });
    const { url } = await guarded({ clientIdleTimeoutMs: 300, upstreamConnections: 1, upstreamWaitMs: 5_000 }, long);
    sending(url, "GET /v1/files/1 HTTP/1.1\r\nhost: x\r\n\r\n").socket.pause();
    await pause(100);
    expect((await fetch(`${url}/v1/files/2`)).status).toBe(200);
  });
});

describe("uploads that are never finished", () => {
  it("are told to come again where no connection becomes free", async () => {
    const { url } = await guarded({ upstreamConnections: 1, upstreamWaitMs: 100, clientIdleTimeoutMs: 60_000 });
    sending(url, `${head("/v1/files", 1_000_000)}x`);
    await pause(100);
    const response = await fetch(`${url}/v1/files`, { method: "POST", body: "whole" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ error: { code: "upstream_busy" } });
  });

  it("do not hold up a server that ends", async () => {
    const { url, drain } = await guarded({});
    const { closed, received } = sending(url, `${head("/v1/files", 1_000_000)}x`);
    await pause(100);
    await Promise.all([drain(60_000), closed]);
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

it("one address has so many connections and no more", async () => {
  const { url } = await guarded({ maxClientConnections: 3 });
  const kept = [1, 2, 3].map(() => sending(url, listing));
  await vi.waitFor(() => expect(kept.every(({ received }) => received().includes("200"))).toBe(true), 5_000);
  await sending(url, listing).closed;
  kept[0]?.socket.destroy();
  await vi.waitFor(async () => expect((await post(url, chatBody([user("hi")]))).status).toBe(200), 5_000);
});

it("the bytes of all bodies together are three times as many as one may have: what is too much is forwarded unread", async () => {
  const { url } = await guarded({ maxBodyBytes: 50_000 });
  const held = [0, 1, 2].map(() => sending(url, `${head("/v1/chat/completions", 50_000)}${"x".repeat(45_000)}`));
  await pause(100);
  const verdict = async () => {
    const { status, headers } = await post(url, chatBody([user("x".repeat(40_000))]));
    return [status, headers.get("x-unloop-verdict"), headers.get("x-unloop-unread")];
  };
  expect(await verdict()).toEqual([200, "unguarded", "size"]);
  for (const { socket } of held) socket.destroy();
  await vi.waitFor(async () => expect(await verdict()).toEqual([200, "ok", null]), 5_000);
});
