import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeTransport } from "../../src/transport/node.ts";
import { served } from "../cli/command.ts";
import { guardBefore, post } from "../proxy/guard-rig.ts";
import { certificate } from "../support/servers/redis.ts";
import { forwardProxy } from "../support/servers/forward-proxy.ts";
import { closing, listening } from "../support/servers/http.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
const answer = JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "Done." } }] });

/** The variables of this process, none of them set but these. */
function variables(set: Readonly<Record<string, string>>): void {
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name.toLowerCase(), undefined);
    vi.stubEnv(name, set[name]);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function upstreamNamed(host: string) {
  const upstream = await upstreamOf(() => ({ kind: "text", text: "Done." }));
  return { url: upstream.url.replace("127.0.0.1", host), requests: upstream.requests };
}

async function httpsUpstream(host: string) {
  const [cert, key] = [readFileSync(certificate.cert), readFileSync(certificate.key)];
  const server = createServer({ cert, key }, (_, response) => {
    response.setHeader("content-type", "application/json").end(answer);
  });
  const url = (await listening(server)).replace("http://127.0.0.1", `https://${host}`);
  onTestFinished(() => closing(server));
  return { url, ca: certificate.cert };
}

describe("the guard's way out", () => {
  it("leads through the proxy that the environment names, with its user and password", async () => {
    const proxy = await forwardProxy("ada:s3cret");
    variables({ HTTP_PROXY: proxy.url });
    const upstream = await upstreamNamed("api.example");
    const { url } = await guardBefore(upstream.url);
    for (let i = 0; i < 2; i += 1) {
      const { status, text } = await post(url, body);
      expect([status, text]).toEqual([200, String(upstream.requests[i]?.answer)]);
    }
    expect(proxy.asked).toEqual(Array(2).fill(`POST ${upstream.url}/v1/chat/completions`));
    expect(JSON.stringify(upstream.requests[0])).not.toContain("s3cret");
  });

  it.each([
    { name: "this machine", host: "127.0.0.1", noProxy: "" },
    { name: "a host that NO_PROXY names", host: "localhost.api.example", noProxy: "api.example" },
    { name: "any host, where NO_PROXY is a star", host: "localhost.api.example", noProxy: "*" },
  ])("leads to $name by itself", async ({ host, noProxy }) => {
    const proxy = await forwardProxy();
    variables({ HTTP_PROXY: proxy.url, NO_PROXY: noProxy });
    const upstream = await upstreamNamed(host);
    const { url } = await guardBefore(upstream.url);
    // Nobody knows the name of the others.
    expect((await post(url, body)).status).toBe(host === "127.0.0.1" ? 200 : 502);
    expect(proxy.asked).toEqual([]);
  });

  it("ends with the proxy's answer, where the proxy refuses it, and without its password", async () => {
    const proxy = await forwardProxy("ada:s3cret");
    variables({ HTTPS_PROXY: proxy.url.replace("s3cret", "wrong") });
    const { url, logged } = await guardBefore("https://api.example");
    const { status, text } = await post(url, body);
    expect([status, text]).toEqual([502, expect.stringContaining("answered 407")]);
    expect(proxy.asked).toEqual(["CONNECT api.example:443"]);
    expect(text + JSON.stringify(logged)).not.toContain("wrong");
  });

  it("leads to an https upstream by CONNECT, and believes the authority that NODE_EXTRA_CA_CERTS names", async () => {
    const proxy = await forwardProxy("ada:s3cret");
    const upstream = await httpsUpstream("api.example");
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: upstream.ca };
    const { url } = await served(upstream.url, [], env);
    const { status, text } = await post(url, body);
    expect([status, text]).toEqual([200, answer]);
    expect(proxy.asked).toEqual([`CONNECT ${new URL(upstream.url).host}`]);
  });

  it.each(["proxy.example:3128", "socks5://proxy.example"])("is no start with %s, which is no URL", async (it) => {
    variables({ HTTPS_PROXY: it });
    await expect(async () => nodeTransport()).rejects.toMatchObject({ code: "bad_setting" });
  });
});
