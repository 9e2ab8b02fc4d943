import { describe, expect, it } from "vitest";
import { speculativeCall } from "../../../src/proxy/relay/upstream-call.ts";
import type { AnswerSink, Exchange, Transport, UpstreamRequest } from "../../../src/transport/transport.ts";

/** A call made at once, and the hands of the upstream that has got it. */
function called() {
  let request: UpstreamRequest | undefined;
  let upstream: AnswerSink | undefined;
  let reject: (reason: unknown) => void = () => undefined;
  let resolve: () => void = () => undefined;
  const transport: Transport = {
    accept: () => Promise.reject(new Error("not asked for")),
    send(sent, sink) {
      [request, upstream] = [sent, sink];
      return new Promise<void>((done, failed) => {
        [resolve, reject] = [done, failed];
        sent.signal.addEventListener("abort", () => failed(sent.signal.reason));
      });
    },
    close: async () => undefined,
  };
  const exchange: Exchange = {
    method: "POST",
    target: "/v1/chat/completions",
    fields: {},
    gone: new AbortController().signal,
    body: async () => new Uint8Array(),
    stream: () => undefined,
    answer: reader().sink,
  };
  const body = new TextEncoder().encode("{}");
  const call = speculativeCall(exchange, { transport, upstream: new URL("https://api.example/v1"), body });
  if (request === undefined || upstream === undefined) throw new Error("nothing was sent");
  return { call, request, upstream, resolve: () => resolve(), reject: (reason: unknown) => reject(reason) };
}

/** What a reader has got, one entry for each event. */
function reader() {
  const got: string[] = [];
  const sink: AnswerSink = {
    head: (status) => void got.push(`head ${status}`),
    write(bytes) {
      got.push(new TextDecoder().decode(bytes));
      return undefined;
    },
    end: () => void got.push("end"),
    fail: (reason) => void got.push(`fail ${String(reason)}`),
  };
  return { got, sink };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a request that is forwarded first", () => {
  it("is upstream before anybody has asked for its answer", () => {
    expect(called().request.path).toBe("/v1/chat/completions");
  });

  it("gives its reader all of the answer in order, also what came before there was one", async () => {
    const { call, upstream, resolve } = called();
    upstream.head(200, {});
    const early = upstream.write(bytes("one"));
    const { got, sink } = reader();
    const followed = call.follow(sink);
    await early;
    upstream.write(bytes("two"));
    upstream.end();
    resolve();
    await followed;
    expect(got).toEqual(["head 200", "one", "two", "end"]);
    expect(call.outcome()).toBe("kept");
  });

  it("asks the upstream to wait while nobody reads", async () => {
    const { call, upstream } = called();
    upstream.head(200, {});
    let waits = true;
    const early = Promise.resolve(upstream.write(bytes("one"))).then(() => {
      waits = false;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toBe(true);
    void call.follow(reader().sink);
    await early;
    expect(waits).toBe(false);
  });

  it.each(["an end", "a failure"])("tells of %s that came before it had a reader", (what) => {
    const { call, upstream } = called();
    upstream.head(200, {});
    if (what === "an end") upstream.end();
    else upstream.fail("broken");
    const { got, sink } = reader();
    void call.follow(sink);
    expect(got).toEqual(["head 200", what === "an end" ? "end" : "fail broken"]);
  });

  it("ends upstream when it is withdrawn, and nobody hears of that", async () => {
    const { call, request } = called();
    call.withdraw();
    expect(request.signal.aborted).toBe(true);
    expect(call.outcome()).toBe("withdrawn");
    // An unheard rejection would end the run of the tests.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("goes on when it is withdrawn too late", () => {
    const { call, request } = called();
    void call.follow(reader().sink);
    call.withdraw();
    expect(request.signal.aborted).toBe(false);
    expect(call.outcome()).toBe("kept");
  });

  it("tells its reader of an upstream that could not be reached", async () => {
    const { call, reject } = called();
    reject(new Error("refused"));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(call.follow(reader().sink)).rejects.toThrow("refused");
  });
});
