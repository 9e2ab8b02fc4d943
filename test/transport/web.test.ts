import { gzipSync } from "node:zlib";
import { Hono } from "hono";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type AnswerSink,
  type Exchange,
  type Fields,
  targetBehindMount,
  type UpstreamRequest,
} from "../../src/transport/transport.ts";
import { webTransport } from "../../src/transport/web.ts";
import { transportContract } from "../contracts/transport.ts";
import { answerTo, deferred, transportRig } from "../contracts/transport-rig.ts";
import { bodyOf } from "../support/servers/http.ts";

beforeEach(() => {
  // node-server prints every stream that errors, and breaking off is what many of these tests are about.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

transportContract("webTransport on Node", webTransport, {
  "passes a compressed answer as it is to a client that asked for one":
    "fetch decodes on its own, so the client gets the plain bytes and no content-encoding",
  "sends the client's fields and no others":
    "fetch adds accept, accept-language, sec-fetch-mode and accept-encoding where the client sent none",
  "keeps characters in the target that a URL would encode": "Request and fetch know URLs only",
  "shows an abort to an HTTP/1.0 client too, whose answers end with the connection":
    "a Response has no way to reset the connection",
});

describe("webTransport without a server", () => {
  const begun = async (run: (exchange: Exchange) => Promise<void>) =>
    new Hono().all("*", (context) => webTransport().accept(context, run)).request("http://guard.example/v1/models?a=1");

  it("says that the client has gone when the body of its answer is cancelled", async () => {
    const gone = deferred<unknown>();
    const response = await begun(async (exchange) => {
      exchange.gone.addEventListener("abort", () => gone.resolve(exchange.gone.reason));
      exchange.answer.head(200, {});
    });
    await response.body?.cancel();
    expect(await gone.promise).toMatchObject({ code: "client_gone" });
  });

  it("breaks the answer off when the exchange fails after the head", async () => {
    const response = await begun(async ({ answer }) => {
      answer.head(200, {});
      throw new Error("broken");
    });
    await expect(response.text()).rejects.toThrow("broken");
  });
});

describe("webTransport and content codings", () => {
  const rig = transportRig(webTransport);

  it("describes an answer that fetch has decoded as what it is now", async () => {
    const zipped = gzipSync("a long story");
    const fields = { "content-encoding": "gzip", "content-length": zipped.byteLength };
    const upstream = await rig.upstream((_, response) => response.writeHead(200, fields).end(zipped));
    const answer = await answerTo(await rig.proxy(upstream));
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(String(await bodyOf(answer))).toBe("a long story");
  });

  it.each([
    { name: "asks for none where the client asked for none", fields: {}, sent: "identity" },
    { name: "asks for what the client asked for", fields: { "accept-encoding": "br" }, sent: "br" },
  ])("$name", async ({ fields, sent }: { fields: Fields; sent: string }) => {
    const asked: (string | null)[] = [];
    const transport = webTransport({
      async fetch(_, init) {
        asked.push(new Headers(init.headers).get("accept-encoding"));
        return new Response("ok");
      },
    });
    const sink: AnswerSink = { head() {}, write: () => undefined, end() {}, fail() {} };
    const signal = new AbortController().signal;
    const request: UpstreamRequest = { method: "GET", origin: "https://a", path: "/", fields, body: undefined, signal };
    await transport.send(request, sink);
    expect(asked).toEqual([sent]);
  });
});

const targetAt = async (mount: string, requested: string) => {
  const guard = new Hono().all("*", (context) => context.text(targetBehindMount(context, requested)));
  // An error handler of its own makes Hono wrap the app's handlers.
  guard.onError((error, context) => context.text(error.message, 500));
  const app = mount === "" ? guard : new Hono().route(mount, guard);
  return (await app.request(requested.replace(/^\w+:\/\/[^/]*/, ""))).text();
};

it.each([
  { mount: "", requested: "/v1/models?a=/llm/b", target: "/v1/models?a=/llm/b" },
  { mount: "/a/llm/", requested: "/a/llm/v1/models", target: "/v1/models" },
  { mount: "/:team/llm", requested: "/red%2Fblue/llm/v1/%41", target: "/v1/%41" },
  { mount: "/llm", requested: "/%6Clm/v1", target: "/v1" },
  { mount: "/llm", requested: "/llm?a=1", target: "/?a=1" },
  { mount: "/llm", requested: "/llm", target: "/" },
  { mount: "/llm", requested: "http://elsewhere.example/llm/v1/models?a", target: "/v1/models?a" },
  { mount: "", requested: "HTTP://user@elsewhere.example", target: "/" },
])("targetBehindMount finds $target in $requested below '$mount'", async ({ mount, requested, target }) => {
  expect(await targetAt(mount, requested)).toBe(target);
});
