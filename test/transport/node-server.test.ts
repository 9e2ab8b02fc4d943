import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { setImmediate as pause } from "node:timers/promises";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { UnloopError } from "../../src/errors.ts";
import { type Listening, listen } from "../../src/transport/node-server.ts";
import { answerTo, deferred, rawConnection } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";

const here = { host: "127.0.0.1", port: 0 };
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

const closed = (socket: NodeJS.EventEmitter) => new Promise((resolve) => socket.once("close", resolve));

/** A server whose one answer is begun and then waits. */
async function waitingServer(): Promise<Listening & { finish: (text: string) => void }> {
  const rest = deferred<string>();
  const app = new Hono().get("/", () => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from("first "));
        controller.enqueue(Buffer.from(await rest.promise));
        controller.close();
      },
    });
    return new Response(body);
  });
  return { ...(await listen(app, here)), finish: rest.resolve };
}

describe("listen", () => {
  it("says which address is taken and what to do about it", async () => {
    const { url, drain } = await listen(new Hono(), here);
    const port = Number(new URL(url).port);
    const error = await listen(new Hono(), { host: "127.0.0.1", port }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnloopError);
    expect(error).toMatchObject({ code: "bad_setting" });
    expect(String(error)).toContain(`127.0.0.1:${port}`);
    expect(String(error)).toContain("UNLOOP_PORT");
    await drain(0);
  });
});

describe("drain", () => {
  it("lets an open exchange finish, and ends its connection then", async () => {
    const { url, drain, finish } = await waitingServer();
    const { socket, received, until } = rawConnection(url);
    socket.write(GET);
    await until("first");
    const drained = drain(60_000);
    finish("last");
    await Promise.all([drained, closed(socket)]);
    expect(received()).toMatch(/first .*last.*\r\n0\r\n\r\n$/s);
  });

  it("sends to its end what was answered but not yet read", async () => {
    const size = 20 * 1024 * 1024;
    const sockets: NodeJS.EventEmitter[] = [];
    const note = (told: unknown) => void sockets.push((told as { socket: NodeJS.EventEmitter }).socket);
    subscribe("net.server.socket", note);
    onTestFinished(() => void unsubscribe("net.server.socket", note));
    const { url, drain } = await listen(
      new Hono().get("/", () => new Response("x".repeat(size))),
      here,
    );
    const answer = await answerTo(url);
    const drained = drain(60_000);
    // As long as a request may stall now.
    for (const socket of sockets) socket.emit("timeout");
    await pause();
    expect((await bodyOf(answer)).byteLength).toBe(size);
    await drained;
  });

  it("closes idle connections at once and takes no new ones", async () => {
    const { url, drain } = await listen(
      new Hono().get("/", (context) => context.text("hello")),
      here,
    );
    const { socket, until } = rawConnection(url);
    socket.write(GET);
    await until("hello");
    await Promise.all([drain(60_000), closed(socket)]);
    const late = rawConnection(url).socket;
    const [refused] = await Promise.all([closed(late)]);
    expect(refused).toBe(true);
  });

  it("tells clients whose answer has not begun that the connection ends with it", async () => {
    const arrived = deferred<void>();
    const go = deferred<void>();
    const app = new Hono().get("/", async (context) => {
      arrived.resolve();
      await go.promise;
      return context.text("hello");
    });
    const { url, drain } = await listen(app, here);
    const answered = answerTo(url, { headers: { connection: "keep-alive" } });
    await arrived.promise;
    const drained = drain(60_000);
    go.resolve();
    const answer = await answered;
    expect(answer.headers.connection).toBe("close");
    expect(String(await bodyOf(answer))).toBe("hello");
    await drained;
  });

  it("cuts what is still open when the time is over", async () => {
    const { url, drain } = await waitingServer();
    const answer = await answerTo(url);
    await once(answer, "data");
    const broken = expect(bodyOf(answer)).rejects.toThrow("aborted");
    await drain(1);
    await broken;
  });
});
