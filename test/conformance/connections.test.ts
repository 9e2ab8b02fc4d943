import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardSettings } from "../../src/config/config.ts";
import { deferred, rawConnection } from "../contracts/transport-rig.ts";
import { type Asked, ask, chat, embeddings, loopOf, ways } from "./rig.ts";

const listing: Asked = { method: "GET", path: "/v1/models" };

function endsUsed(how: "reset" | "close"): RequestListener {
  const used = new WeakSet<object>();
  return ({ socket }, outgoing) => {
    if (used.has(socket)) {
      if (how === "reset") socket.resetAndDestroy();
      else socket.destroy();
    } else {
      used.add(socket);
      outgoing.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
    }
  };
}

describe("a kept connection that is lost before a byte of the answer", () => {
  it.each<{ asked: Asked; how: "reset" | "close" }>([
    { asked: chat, how: "reset" },
    { asked: embeddings, how: "close" },
    { asked: listing, how: "reset" },
    { asked: { method: "DELETE", path: "/v1/files/1" }, how: "close" },
    { asked: { ...chat, fields: { "idempotency-key": "k" } }, how: "close" },
    { asked: { ...embeddings, body: "x".repeat(3 << 20) }, how: "reset" },
  ])("is no error to the client: the request goes once more ($asked.path, $how)", async ({ asked, how }) => {
    const { guard, arrived } = await ways(endsUsed(how));
    for (let i = 0; i < 3; i++) {
      const heard = await ask(guard, { ...asked, fields: { ...asked.fields, connection: "close" } });
      expect([heard.status, String(heard.bytes)]).toEqual([200, '{"ok":true}']);
    }
    expect(new Set(arrived.map(({ bytes }) => String(bytes)))).toEqual(new Set([asked.body ?? ""]));
  });

  it("is none that a body is sent on which is not kept: it has a fresh one", async () => {
    const ports = new Set<number | undefined>();
    const { guard } = await ways(({ socket }, outgoing) => {
      ports.add(socket.remotePort);
      outgoing.end("{}");
    });
    await ask(guard, listing);
    await ask(guard, { ...embeddings, fields: { "transfer-encoding": "chunked" } });
    await ask(guard, { ...embeddings, body: "x".repeat(2 << 20) });
    await ask(guard, embeddings);
    expect(ports.size).toBe(3);
  });
});

it.each<{ name: string; asked: Asked; listener: RequestListener }>([
  {
    name: "a new connection that is lost",
    asked: embeddings,
    listener: ({ socket }) => void socket.resetAndDestroy(),
  },
  {
    name: "a kept connection that is lost within the head of an answer",
    asked: chat,
    listener: ({ url, socket }, outgoing) => {
      if (url === "/v1/models") outgoing.end("{}");
      else socket.end("HTTP/1.1 200 OK\r\ncontent-ty");
    },
  },
])("what may have been answered is asked once: $name", async ({ asked, listener }) => {
  const { guard, arrived } = await ways(listener);
  await ask(guard, listing);
  const before = arrived.length;
  const { status } = await ask(guard, asked);
  expect([status, arrived.length - before]).toEqual([502, 1]);
});

it("an answer that names the length of what it only stands for leaves its connection as it is", async () => {
  const { guard, arrived } = await ways((_, outgoing) => {
    outgoing.writeHead(304, { "content-length": "10", etag: '"a"' }).end();
  });
  const { socket, until } = rawConnection(guard);
  const asking = 'GET /v1/models HTTP/1.1\r\nhost: x\r\nif-none-match: "a"\r\n';
  socket.write(`${asking}\r\n`);
  await until("304");
  socket.write(`${asking}connection: close\r\n\r\n`);
  while (arrived.length < 2) await once(socket, "data");
});

it("a client that closes its sending side has left", async () => {
  const arrived = deferred<Socket>();
  const { guard } = await ways(({ socket }) => arrived.resolve(socket));
  const { socket } = rawConnection(guard);
  const { path, body } = embeddings;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const upstream = await arrived.promise;
  socket.end();
  await once(upstream, "close");
});

describe("silence of the upstream", () => {
  it("is waited out for an hour", () =>
    expect(standardSettings).toMatchObject({ firstByteTimeoutMs: 3_600_000, idleTimeoutMs: 3_600_000 }));

  it.each(["before its answer", "within it"])("%s is no stalling of its client", async (when) => {
    const sockets: Socket[] = [];
    const note = (told: unknown) => void sockets.push((told as { socket: Socket }).socket);
    subscribe("net.server.socket", note);
    onTestFinished(() => void unsubscribe("net.server.socket", note));
    const [asked, heard] = [deferred<void>(), deferred<void>()];
    const { guard } = await ways(async (_, outgoing) => {
      if (when === "within it") outgoing.write("{");
      asked.resolve();
      await heard.promise;
      outgoing.end("}");
    });
    const answer = ask(guard, embeddings);
    await asked.promise;
    const clients = sockets.filter(({ localPort }) => localPort === Number(new URL(guard).port));
    // As long as a client may stall.
    for (const socket of clients) socket.emit("timeout");
    await setImmediate();
    heard.resolve();
    const { status, end } = await answer;
    expect([clients.length, status, end]).toEqual([1, 200, "whole"]);
  });

  it("ends a stream with the error event of its format", async () => {
    const said = 'data: {"a":1}\n\n';
    const { guard } = await ways(
      (_, outgoing) => void outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(said),
      { UNLOOP_IDLE_TIMEOUT_MS: "100" },
    );
    const { status, bytes, end } = await ask(guard, chat);
    expect([status, end, String(bytes).startsWith(said)]).toEqual([200, "whole", true]);
    expect(String(bytes).slice(said.length)).toMatch(/^data: \{.*fell silent.*\}\n\n/);
  });

  it("breaks off an answer that is no stream: it has no place for an event", async () => {
    const { guard } = await ways(
      (_, outgoing) => void outgoing.writeHead(200, { "content-type": "application/json" }).write('{"id":'),
      { UNLOOP_IDLE_TIMEOUT_MS: "100" },
    );
    for (const asked of [chat, embeddings]) {
      const { bytes, end } = await ask(guard, asked);
      expect([String(bytes), end]).toEqual(['{"id":', "broken off"]);
    }
  });
});

it("several answers at once are as many in a stream of the guard's own, and no more than any API gives", async () => {
  const { guard } = await ways((_, outgoing) => outgoing.end("{}"));
  const indexesOf = async (asked: object) => {
    const { bytes } = await ask(guard, { path: chat.path, body: loopOf(9, asked) });
    return new Set([...String(bytes).matchAll(/"index":(\d+)/g)].map(([, index]) => Number(index)));
  };
  expect([...(await indexesOf({ n: 3, stream: true }))].sort()).toEqual([0, 1, 2]);
  expect((await indexesOf({ n: 1_000_000 })).size).toBeLessThan(1_000);
});
