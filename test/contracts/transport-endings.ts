import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { expect } from "vitest";
import { UnloopError } from "../../src/errors.ts";
import type { AnswerSink } from "../../src/transport/transport.ts";
import { bodyOf } from "../support/servers/http.ts";
import type { Promised } from "./transport.ts";
import { answerTo, deferred, type MakeTransport, pump, type Rig, rawConnection, standstill } from "./transport-rig.ts";

export function endingsContract(rig: Rig, promised: Promised, makeTransport: MakeTransport): void {
  failuresContract(rig, promised);
  departuresContract(rig, promised);
  limitsContract(rig, promised);
  backpressureContract(rig, promised, makeTransport);
}

function failuresContract(rig: Rig, promised: Promised): void {
  promised("says upstream_unreachable when nobody listens there", async () => {
    const answer = await answerTo(await rig.proxy("http://127.0.0.1:1"), {
      method: "POST",
      pieces: [Buffer.from("x")],
    });
    expect([answer.statusCode, answer.headers["x-error"]]).toEqual([502, "upstream_unreachable"]);
  });

  promised("says upstream_unreachable when the upstream hangs up before a head", async () => {
    const upstream = await rig.upstream((_, response) => response.destroy());
    const answer = await answerTo(await rig.proxy(upstream));
    expect([answer.statusCode, answer.headers["x-error"]]).toEqual([502, "upstream_unreachable"]);
  });

  promised("says upstream_timeout when no head comes in time, and leaves", async () => {
    // On a busy machine the time may be over before the request has come there.
    const left: Promise<unknown>[] = [];
    const upstream = await rig.upstream((_, response) => left.push(once(response, "close")));
    const answer = await answerTo(await rig.proxy(upstream, { firstByteTimeoutMs: 20 }));
    expect([answer.statusCode, answer.headers["x-error"]]).toEqual([504, "upstream_timeout"]);
    await Promise.all(left);
  });

  const begin = (response: ServerResponse, fields: Record<string, string>) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...fields });
    response.write("data: 1\n\n");
    return response;
  };

  promised("breaks an answer off when the upstream falls silent for too long", async () => {
    const upstream = await rig.upstream((_, response) => begin(response, {}));
    const answer = await answerTo(await rig.proxy(upstream, { idleTimeoutMs: 20 }));
    await expect(bodyOf(answer)).rejects.toThrow("aborted");
  });

  for (const [kind, fields] of [
    ["a chunked answer", {}],
    ["an answer of known length", { "content-length": "100" }],
  ] as const) {
    promised(`shows an abort, never a clean end, when the upstream dies within ${kind}`, async () => {
      const upstreams: ServerResponse[] = [];
      const upstream = await rig.upstream((_, response) => upstreams.push(begin(response, fields)));
      const answer = await answerTo(await rig.proxy(upstream));
      await once(answer, "data");
      upstreams[0]?.destroy();
      await expect(bodyOf(answer)).rejects.toThrow("aborted");
    });
  }

  promised("shows an abort to an HTTP/1.0 client too, whose answers end with the connection", async () => {
    const upstreams: ServerResponse[] = [];
    const upstream = await rig.upstream((_, response) => upstreams.push(begin(response, {})));
    const { socket, until } = rawConnection(await rig.proxy(upstream));
    socket.write("GET / HTTP/1.0\r\nhost: a\r\n\r\n");
    await until("data: 1");
    upstreams[0]?.destroy();
    expect(await new Promise((resolve) => socket.once("close", resolve))).toBe(true);
  });

  promised("says upstream_unreachable to a client that is still sending, and takes its next request", async () => {
    const upstream = await rig.upstream((incoming, response) => {
      if (incoming.url === "/next") response.end("next");
      else incoming.once("data", () => response.destroy());
    });
    const { socket, until } = rawConnection(await rig.proxy(upstream));
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000005\r\n\r\nfirst");
    await until("x-error: upstream_unreachable");
    socket.write("x".repeat(1_000_000));
    socket.write("GET /next HTTP/1.1\r\nhost: a\r\n\r\n");
    await until("next");
  });

  promised("passes an early answer on although the request is still being sent", async () => {
    const upstream = await rig.upstream((_, response) => response.writeHead(401).end("no"));
    const outgoing = request(await rig.proxy(upstream), { method: "POST", agent: false }).on("error", () => undefined);
    outgoing.write("first");
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(401);
    outgoing.destroy();
  });
}

function departuresContract(rig: Rig, promised: Promised): void {
  promised("leaves the upstream at once when the client goes before the head", async () => {
    const arrived = deferred<ServerResponse>();
    const upstream = await rig.upstream((_, response) => arrived.resolve(response));
    const outgoing = request(await rig.proxy(upstream), { agent: false }).on("error", () => undefined);
    outgoing.end();
    const response = await arrived.promise;
    outgoing.destroy();
    await once(response, "close");
  });

  promised("leaves the upstream at once when the client goes within the answer", async () => {
    const arrived = deferred<ServerResponse>();
    const upstream = await rig.upstream((_, response) => {
      response.write("first");
      arrived.resolve(response);
    });
    const answer = await answerTo(await rig.proxy(upstream));
    await once(answer, "data");
    answer.destroy();
    await once(await arrived.promise, "close");
  });

  promised("says client_gone to whoever still reads the body of a client that left", async () => {
    const reading = deferred<void>();
    const outcome = deferred<unknown>();
    const url = await rig.proxy("http://127.0.0.1:1", {
      run: async (exchange) => {
        const body = exchange.body({ maxBytes: 100, readBytes: 100 });
        reading.resolve();
        await body.catch(outcome.resolve);
        await new Promise<void>((resolve) => exchange.gone.addEventListener("abort", resolve));
      },
    });
    const outgoing = request(url, { method: "POST", agent: false }).on("error", () => undefined);
    outgoing.write("half");
    await reading.promise;
    outgoing.destroy();
    const error = await outcome.promise;
    expect(error instanceof UnloopError && error.code).toBe("client_gone");
  });
}

function limitsContract(rig: Rig, promised: Promised): void {
  const ok = (_: IncomingMessage, response: ServerResponse) => response.end("ok");

  promised("refuses a body that declares too much, before it is sent", async () => {
    const { socket, until } = rawConnection(await rig.proxy(await rig.upstream(ok), { limitBytes: 10 }));
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 11\r\n\r\n");
    await until("413 Payload Too Large");
    socket.write("01234567890");
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
    await until("200 OK");
  });

  promised("refuses a body that turns out too large, and reads no further", async () => {
    const { socket, until } = rawConnection(await rig.proxy(await rig.upstream(ok), { limitBytes: 10 }));
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n01234\r\n");
    await until("413 Payload Too Large");
  });
}

function backpressureContract(rig: Rig, promised: Promised, makeTransport: MakeTransport): void {
  const total = 64 * 1024 * 1024;

  promised("lets a slow client slow the upstream down", async () => {
    let written = () => 0;
    const upstream = await rig.upstream((_, response) => {
      ({ written } = pump(response, total));
    });
    const answer = await answerTo(await rig.proxy(upstream));
    expect(await standstill(() => written())).toBeLessThan(total / 2);
    let received = 0;
    for await (const piece of answer) received += piece.length;
    expect(received).toBe(total);
  });

  promised("lets a slow upstream slow a sending client down", async () => {
    const arrived = deferred<[IncomingMessage, ServerResponse]>();
    const upstream = await rig.upstream((...both) => arrived.resolve(both));
    const outgoing = request(await rig.proxy(upstream), { method: "POST", agent: false });
    const { written } = pump(outgoing, total);
    const [incoming, response] = await arrived.promise;
    expect(await standstill(written)).toBeLessThan(total / 2);
    incoming.resume().on("end", () => response.end());
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(200);
  });

  promised("waits for a sink that asks for patience", async () => {
    const upstream = await rig.upstream((_, response) => void pump(response, 4 * 1024 * 1024));
    const transport = makeTransport();
    let waiting = false;
    let interrupted = false;
    let received = 0;
    const sink: AnswerSink = {
      head() {},
      async write(bytes) {
        interrupted ||= waiting;
        received += bytes.byteLength;
        waiting = true;
        await new Promise((resolve) => setImmediate(resolve));
        waiting = false;
      },
      end() {},
      fail() {},
    };
    const signal = new AbortController().signal;
    await transport.send({ method: "GET", origin: upstream, path: "/", fields: {}, body: undefined, signal }, sink);
    await transport.close();
    expect({ interrupted, received }).toEqual({ interrupted: false, received: 4 * 1024 * 1024 });
  });
}
