import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { unloop } from "../../src/index.ts";
import { nodeTransport, type NodeTransportOptions } from "../../src/transport/node.ts";
import { type ClientLimits, listen } from "../../src/transport/node-server.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { post } from "./guard-rig.ts";

/* Clients that take what all share, connections, memory and time, and give nothing back. */

const answers: Script = () => ({ kind: "text", text: "Done." });
const hello = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

interface Limits extends Partial<ClientLimits>, NodeTransportOptions {
  readonly maxBodyBytes?: number;
}

async function guarded(limits: Limits, script: Script = answers) {
  const upstream = await scriptedUpstream(script);
  const transport = nodeTransport(limits);
  const { maxBodyBytes } = limits;
  const app = unloop({ upstream: upstream.url, transport, ...(maxBodyBytes && { maxBodyBytes }) });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0, ...limits });
  onTestFinished(async () => {
    await drain(0);
    await transport.close();
    await upstream.close();
  });
  return { url, drain, upstream };
}

/** A connection on which so much is sent. Tells what has come back. */
function sending(url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket
    .on("error", () => undefined)
    .on("data", (data) => {
      heard += String(data);
    });
  socket.write(text);
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, heard: () => heard };
}

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

const closed = ({ socket }: { readonly socket: Socket }) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });

describe("a client that falls silent", () => {
  it.each(["/v1/chat/completions", "/v1/files"])("within its request for %s is told so, and cut off", async (path) => {
    const { url } = await guarded({ clientIdleTimeoutMs: 200 });
    const stalled = sending(url, `${head(path, 1_000)}{`);
    await closed(stalled);
    expect(stalled.heard()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("before its answer gives the upstream's connection back", async () => {
    const long: Script = () => ({
      kind: "raw",
      status: 200,
      fields: {},
      pieces: Array(200).fill("x".repeat(64 * 1024)),
      ending: "end",
    });
    const { url } = await guarded({ clientIdleTimeoutMs: 300, upstreamConnections: 1, upstreamWaitMs: 5_000 }, long);
    const unread = sending(url, "GET /v1/files/1 HTTP/1.1\r\nhost: x\r\n\r\n");
    unread.socket.pause();
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
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ error: { code: "upstream_busy" } });
  });

  it("do not hold up a server that ends", async () => {
    const { url, drain } = await guarded({});
    const stalled = sending(url, `${head("/v1/files", 1_000_000)}x`);
    await pause(100);
    await Promise.all([drain(60_000), closed(stalled)]);
    expect(stalled.heard()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

it("one address has so many connections and no more", async () => {
  const { url } = await guarded({ maxClientConnections: 3 });
  const kept = [1, 2, 3].map(() => sending(url, "GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n"));
  await vi.waitFor(() => expect(kept.every(({ heard }) => heard().includes("200"))).toBe(true), 5_000);
  await closed(sending(url, "GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n"));
  kept[0]?.socket.destroy();
  await vi.waitFor(async () => expect((await post(url, hello)).status).toBe(200), 5_000);
});

describe("the bytes of all bodies together", () => {
  const large = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(40_000) }] });

  it("are three times as many as one may have: what is too much is forwarded unread", async () => {
    const { url } = await guarded({ maxBodyBytes: 50_000 });
    const held = [0, 1, 2].map(() => sending(url, `${head("/v1/chat/completions", 50_000)}${"x".repeat(45_000)}`));
    await pause(100);
    const verdict = async () => {
      const { status, headers } = await post(url, large);
      return [status, headers.get("x-unloop-verdict"), headers.get("x-unloop-unread")];
    };
    expect(await verdict()).toEqual([200, "unguarded", "size"]);
    for (const { socket } of held) socket.destroy();
    await vi.waitFor(async () => expect(await verdict()).toEqual([200, "ok", null]), 5_000);
  });
});
