import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { bodyOf } from "../support/servers/http.ts";
import { endingsContract } from "./transport-endings.ts";
import { answerTo, type Front, type MakeTransport, type Rig, transportRig } from "./transport-rig.ts";

export type Exceptions = Readonly<Record<string, string>>;

/** States a promise; one that is excepted must really be broken, or the exception is out of date. */
export type Promised = (sentence: string, test: () => Promise<void>) => void;

export function transportContract<T extends Transport>(
  name: string,
  makeTransport: MakeTransport<T>,
  except: Exceptions = {},
  front?: Front<T>,
): void {
  describe(name, () => {
    const excepted = new Set(Object.keys(except));
    const promised: Promised = (sentence, test) => {
      if (!excepted.delete(sentence)) it(sentence, test);
      else it.fails(`except: ${sentence} (${except[sentence]})`, test);
    };
    const rig = transportRig(makeTransport, front);
    bytesContract(rig, promised);
    headsContract(rig, promised);
    endingsContract(rig, promised, makeTransport);
    it("has no exception for a promise that does not exist", () => expect([...excepted]).toEqual([]));
  });
}

const MEGABYTE = Buffer.from(Uint8Array.from({ length: 1024 * 1024 }, (_, i) => (i * 31 + (i >> 8)) % 256));

function bytesContract(rig: Rig, promised: Promised): void {
  const echo = async (incoming: IncomingMessage, response: ServerResponse) => {
    for await (const piece of incoming) response.write(piece);
    response.end();
  };

  for (const [kind, limitBytes] of [
    ["streamed", undefined],
    ["buffered", 2 * 1024 * 1024],
  ] as const) {
    const options = limitBytes === undefined ? {} : { limitBytes };

    promised(`passes ${kind} bytes unchanged however they are cut`, async () => {
      const url = await rig.proxy(await rig.upstream(echo), options);
      const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 });
      const unchanged = fc.asyncProperty(pieces, async (cut) => {
        const answer = await answerTo(url, { method: "POST", pieces: cut });
        expect(await bodyOf(answer)).toEqual(Buffer.concat(cut));
      });
      await fc.assert(unchanged);
    });

    promised(`passes a ${kind} megabyte of all byte values`, async () => {
      const url = await rig.proxy(await rig.upstream(echo), options);
      const answer = await answerTo(url, { method: "POST", pieces: [MEGABYTE] });
      expect(MEGABYTE.equals(await bodyOf(answer))).toBe(true);
    });
  }

  promised("passes a compressed answer as it is to a client that asked for one", async () => {
    const zipped = gzipSync("a long story");
    const upstream = await rig.upstream((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip", "content-length": zipped.byteLength }).end(zipped),
    );
    const answer = await answerTo(await rig.proxy(upstream), { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(await bodyOf(answer)).toEqual(zipped);
  });

  promised("hands on the first piece of a request before the last was sent", async () => {
    const url = await rig.proxy(await rig.upstream(echo));
    const outgoing = request(url, { method: "POST", agent: false });
    outgoing.write("first");
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    if (answer === undefined) throw new Error("no answer");
    expect(String(await once(answer, "data"))).toBe("first");
    outgoing.end("last");
    expect(String(await bodyOf(answer))).toBe("last");
  });

  promised("hands on the head and the first piece of an answer before the last was sent", async () => {
    const steps: (() => void)[] = [];
    const upstream = await rig.upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      steps.push(
        () => response.write("data: 1\n\n"),
        () => response.end("data: 2\n\n"),
      );
    });
    const answer = await answerTo(await rig.proxy(upstream));
    expect(answer.statusCode).toBe(200);
    steps[0]?.();
    expect(String(await once(answer, "data"))).toBe("data: 1\n\n");
    steps[1]?.();
    expect(String(await bodyOf(answer))).toBe("data: 2\n\n");
  });
}

function headsContract(rig: Rig, promised: Promised): void {
  const seen: IncomingMessage[] = [];
  const remember = (incoming: IncomingMessage, response: ServerResponse) => {
    seen.unshift(incoming);
    incoming.resume().on("end", () => response.writeHead(200, { "content-type": "text/plain" }).end("ok"));
  };

  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
    promised(`passes a ${method} request as one`, async () => {
      const url = await rig.proxy(await rig.upstream(remember));
      const answer = await answerTo(`${url}/v1/models?a=1&a=2`, { method });
      expect(String(await bodyOf(answer))).toBe("ok");
      expect([seen[0]?.method, seen[0]?.url]).toEqual([method, "/v1/models?a=1&a=2"]);
    });
  }

  promised("answers HEAD with the head alone", async () => {
    const upstream = await rig.upstream((_, response) =>
      response.writeHead(200, { "content-length": 5, "x-a": "b" }).end(),
    );
    const url = await rig.proxy(upstream);
    const answer = await answerTo(url, { method: "HEAD" });
    expect([answer.statusCode, answer.headers["content-length"], answer.headers["x-a"]]).toEqual([200, "5", "b"]);
    expect((await bodyOf(answer)).byteLength).toBe(0);
    expect((await answerTo(url, { method: "HEAD" })).statusCode).toBe(200);
  });

  for (const status of [201, 204, 205, 304, 307, 400, 401, 404, 409, 422, 429, 500, 503, 529]) {
    promised(`passes status ${status} and its fields unchanged`, async () => {
      const fields = {
        "content-type": "application/json",
        "retry-after": "7",
        "x-request-id": "req_1",
        "x-ratelimit-remaining-tokens": "0",
        location: "/elsewhere",
        "set-cookie": ["a=1; Path=/", "b=2"],
        date: "Sat, 21 Nov 2026 00:00:00 GMT",
      };
      const text = [204, 205, 304].includes(status) ? "" : '{"error":{"message":"no"}}';
      const upstream = await rig.upstream((_, response) => response.writeHead(status, fields).end(text));
      const answer = await answerTo(await rig.proxy(upstream));
      expect(answer.statusCode).toBe(status);
      expect(answer.headers).toMatchObject(fields);
      expect(String(await bodyOf(answer))).toBe(text);
    });
  }

  promised("sends the client's fields and no others", async () => {
    const url = await rig.proxy(await rig.upstream(remember));
    const headers = { authorization: "Bearer sk-1", "user-agent": "OpenAI/JS 6", "x-stainless-retry-count": "0" };
    await bodyOf(await answerTo(url, { headers }));
    const { host: _host, connection: _connection, ...fields } = seen[0]?.headers ?? {};
    expect(fields).toEqual(headers);
  });

  promised("keeps characters in the target that a URL would encode", async () => {
    const url = await rig.proxy(await rig.upstream(remember));
    const { hostname: host, port } = new URL(url);
    const outgoing = request({ host, port, path: '/v1/{a}|"b"?x={"y"}', agent: false }).end();
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    if (answer !== undefined) await bodyOf(answer);
    expect(seen[0]?.url).toBe('/v1/{a}|"b"?x={"y"}');
  });

  promised("ignores informational answers", async () => {
    const upstream = await rig.upstream((_, response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeProcessing();
      response.end("after");
    });
    expect(String(await bodyOf(await answerTo(await rig.proxy(upstream))))).toBe("after");
  });

  promised("lets a client that expects 100-continue continue", async () => {
    const url = await rig.proxy(await rig.upstream(remember), { limitBytes: 100 });
    const outgoing = request(url, { method: "POST", headers: { expect: "100-continue" }, agent: false });
    outgoing.flushHeaders();
    await once(outgoing, "continue");
    outgoing.end("body");
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(200);
    expect(seen[0]?.headers.expect).toBeUndefined();
  });
}
