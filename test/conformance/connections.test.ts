import { once } from "node:events";
import { request, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { deferred } from "../contracts/transport-rig.ts";
import { ask, bothWays, conversation, streamedRequests, ways } from "./rig.ts";

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

const body = '{"messages":[{"role":"user","content":"hi"}]}';
const elsewhere = { wire: "embeddings", path: "/v1/embeddings", body: '{"input":"a"}' };
const listing = { wire: "models", method: "GET", path: "/v1/models" };

describe("a kept connection that is lost before a byte of the answer", () => {
  const rows = [...streamedRequests, elsewhere, listing].map((asked, at) => ({
    ...asked,
    how: at % 2 === 0 ? ("reset" as const) : ("close" as const),
  }));
  it.each(rows)("is no error to the client: the request goes once more ($wire, $how)", async ({ how, ...asked }) => {
    const { guard, arrived } = await ways(endsUsed(how));
    for (let i = 0; i < 3; i++) {
      const heard = await ask(guard, { ...asked, fields: { connection: "close" } });
      expect([heard.status, String(heard.bytes)]).toEqual([200, '{"ok":true}']);
    }
    const bodies = new Set(arrived.map(({ bytes }) => String(bytes)));
    expect([...bodies]).toEqual(["body" in asked ? asked.body : ""]);
  });

  it("sends a body again that arrives in pieces", async () => {
    const { guard, arrived } = await ways(endsUsed("close"));
    const pieces = ["a".repeat(50_000), "b".repeat(50_000), "c"];
    for (let i = 0; i < 2; i++) {
      const status = await new Promise((resolve, reject) => {
        const outgoing = request(`${guard}/v1/files`, { method: "POST", agent: false }, (answer) =>
          resolve(answer.resume().statusCode),
        ).on("error", reject);
        void (async () => {
          for (const piece of pieces) {
            outgoing.write(piece);
            await pause(5);
          }
          outgoing.end();
        })();
      });
      expect(status).toBe(200);
    }
    expect(arrived.map(({ bytes }) => String(bytes) === pieces.join(""))).toEqual([true, true, true]);
  });
});

describe("what may have been answered is asked once", () => {
  it.each([
    {
      name: "a new connection that is lost",
      path: "/v1/embeddings",
      listener: ({ socket }) => void socket.resetAndDestroy(),
    },
    {
      name: "a kept connection that is lost within the head of an answer",
      path: "/v1/chat/completions",
      listener: (({ url, socket }, outgoing) => {
        if (url === "/v1/models") outgoing.end("{}");
        else socket.end("HTTP/1.1 200 OK\r\ncontent-ty");
      }) satisfies RequestListener,
    },
  ] as readonly { name: string; path: string; listener: RequestListener }[])("$name", async ({ path, listener }) => {
    const { guard, arrived } = await ways(listener);
    await ask(guard, { method: "GET", path: "/v1/models" });
    const before = arrived.length;
    const { status } = await ask(guard, { path, body });
    expect([status, arrived.length - before]).toEqual([502, 1]);
  });
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

it.each(["/v1/chat/completions", "/v1/embeddings"])("interim answers and trailers are left out (%s)", async (path) => {
  const rig = await ways((_, outgoing) => {
    outgoing.writeEarlyHints({ link: "</a>; rel=preload" });
    outgoing.writeHead(200, { trailer: "x-sum" }).write("{}");
    outgoing.addTrailers({ "x-sum": "1" });
    outgoing.end();
  });
  const [direct, guarded] = await bothWays(rig, { path, body });
  const { trailer, ...fields } = direct.fields;
  expect([trailer, guarded]).toEqual(["x-sum", { ...direct, fields }]);
});

it("a client that closes its sending side has left", async () => {
  const arrived = deferred<Socket>();
  const { guard } = await ways(({ socket }) => arrived.resolve(socket));
  const { socket } = conversation(guard);
  socket.write(`POST /v1/embeddings HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const upstream = await arrived.promise;
  socket.end();
  await once(upstream, "close");
});
