import { once } from "node:events";
import { request, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { standardSettings } from "../../src/config/config.ts";
import { deferred } from "../contracts/transport-rig.ts";
import { type Asked, ask, bothWays, chat, conversation, embeddings, ways } from "./rig.ts";

const listing: Asked = { method: "GET", path: "/v1/models" };

/** Ends a connection when a second request comes on it. */
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
  ])("is no error to the client: the request goes once more ($asked.path, $how)", async ({ asked, how }) => {
    const { guard, arrived } = await ways(endsUsed(how));
    for (let i = 0; i < 3; i++) {
      const heard = await ask(guard, { ...asked, fields: { connection: "close" } });
      expect([heard.status, String(heard.bytes)]).toEqual([200, '{"ok":true}']);
    }
    expect(new Set(arrived.map(({ bytes }) => String(bytes)))).toEqual(new Set([asked.body ?? ""]));
  });

  it("sends a body again that arrives in pieces", async () => {
    const { guard, arrived } = await ways(endsUsed("close"));
    const pieces = ["a".repeat(50_000), "b".repeat(50_000), "c"];
    for (let i = 0; i < 2; i++) {
      const outgoing = request(`${guard}/v1/files`, { method: "POST", agent: false });
      const answered = once(outgoing, "response");
      for (const piece of pieces) {
        outgoing.write(piece);
        await pause(5);
      }
      outgoing.end();
      const [answer] = await answered;
      expect(answer.resume().statusCode).toBe(200);
    }
    expect(arrived.map(({ bytes }) => String(bytes) === pieces.join(""))).toEqual([true, true, true]);
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
  const { socket, until } = conversation(guard);
  const asking = 'GET /v1/models HTTP/1.1\r\nhost: x\r\nif-none-match: "a"\r\n';
  socket.write(`${asking}\r\n`);
  await until("304");
  socket.write(`${asking}connection: close\r\n\r\n`);
  while (arrived.length < 2) await once(socket, "data");
});

it.each([chat, embeddings])("interim answers and trailers are left out ($path)", async (asked) => {
  const rig = await ways((_, outgoing) => {
    outgoing.writeEarlyHints({ link: "</a>; rel=preload" });
    outgoing.writeHead(200, { trailer: "x-sum" }).write("{}");
    outgoing.addTrailers({ "x-sum": "1" });
    outgoing.end();
  });
  const [direct, guarded] = await bothWays(rig, asked);
  const { trailer, ...fields } = direct.fields;
  expect([trailer, guarded]).toEqual(["x-sum", { ...direct, fields }]);
});

it("a client that closes its sending side has left", async () => {
  const arrived = deferred<Socket>();
  const { guard } = await ways(({ socket }) => arrived.resolve(socket));
  const { socket } = conversation(guard);
  const { path, body } = embeddings;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const upstream = await arrived.promise;
  socket.end();
  await once(upstream, "close");
});

it("silence of the upstream is waited out for an hour, and ends a stream with the error event of its format", async () => {
  expect(standardSettings).toMatchObject({ firstByteTimeoutMs: 3_600_000, idleTimeoutMs: 3_600_000 });
  const said = 'data: {"a":1}\n\n';
  const { guard } = await ways(
    (_, outgoing) => void outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(said),
    { UNLOOP_IDLE_TIMEOUT_MS: "100" },
  );
  const { status, bytes, end } = await ask(guard, chat);
  expect([status, end]).toEqual([200, "whole"]);
  const [, first, event = ""] = /^(.*?\n\n)data: (.*)\n\n/s.exec(String(bytes)) ?? [];
  expect([first, JSON.stringify(JSON.parse(event.split("\n\n")[0] ?? ""))]).toEqual([
    said,
    expect.stringContaining("fell silent"),
  ]);
});
