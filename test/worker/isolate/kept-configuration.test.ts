import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sha256Hex } from "../../../src/text/keyed-hash.ts";
import { scriptedUpstream } from "../seams/upstream.ts";

const { KEPT: kept } = env as unknown as { readonly KEPT: KVNamespace };
const MINUTE_MS = 60_000;

const client = (name: string) => ({ name, tenant: "research", sha256: sha256Hex(`the key of ${name}`) });
const put = (configuration: object) => kept.put("config", JSON.stringify(configuration));

let isolates = 0;

async function isolate(namespace: Pick<KVNamespace, "get"> = kept) {
  isolates += 1;
  const { default: worker } = await import(/* @vite-ignore */ `../../../src/worker.ts?${isolates}`);
  const { url } = await scriptedUpstream(() => ({ kind: "text", text: "Rain." }));
  const bindings = { ...(env as object), UNLOOP_UPSTREAM: url, UNLOOP_CONFIG: namespace };
  return async (client: string, headers: Readonly<Record<string, string>> = {}) => {
    const request = new Request("https://guard.test/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer the key of ${client}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Weather?" }] }),
    });
    const response = await worker.fetch(request, bindings, createExecutionContext());
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
}

describe("a Worker's configuration in a KV namespace", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await kept.delete("config");
  });

  it("is followed within a minute, so that a client key is revoked without a deployment", async () => {
    await put({ clients: [client("search"), client("mail")] });
    const ask = await isolate();
    expect((await ask("mail")).status).toBe(200);
    await put({
      clients: [client("search")],
      rules: [{ name: "trial", when: { header: { "x-team": "t" } }, mode: "off" }],
    });
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect((await ask("mail")).status).toBe(401);
    const given = await ask("search", { "x-team": "t" });
    expect([given.status, given.headers.get("x-unloop-verdict")]).toEqual([200, null]);
  });

  it.each([
    { of: "with a mistake", write: () => put({ clientz: [] }) },
    { of: "that lost the client keys", write: () => put({ mode: "observe" }) },
    { of: "that is cut", write: () => kept.put("config", '{"clients": [') },
    { of: "that was deleted", write: () => kept.delete("config") },
  ])("is not taken from a text $of", async ({ write }) => {
    await put({ clients: [client("search")] });
    const ask = await isolate();
    await ask("search");
    await write();
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect([(await ask("search")).status, (await ask("anybody")).status]).toEqual([200, 401]);
  });

  it("lets nobody in while there is none, and says how to put one there", async () => {
    const ask = await isolate();
    const given = await ask("search");
    expect([given.status, given.text]).toEqual([500, expect.stringContaining("wrangler kv key put")]);
    await put({ clients: [client("search")] });
    expect((await ask("search")).status).toBe(200);
  });

  it("stays in force while the namespace fails, and lets nobody in before it was read once", async () => {
    await put({ clients: [client("search")] });
    let isDown = true;
    const namespace = {
      get: (...args: Parameters<KVNamespace["get"]>) =>
        isDown ? Promise.reject(new Error("KV GET failed")) : kept.get(...args),
    };
    const ask = await isolate(namespace as never);
    const given = await ask("search");
    expect([given.status, given.headers.get("x-should-retry")]).toEqual([503, "true"]);
    expect(given.text).toContain("config_unavailable");
    isDown = false;
    expect((await ask("search")).status).toBe(200);
    isDown = true;
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect([(await ask("search")).status, (await ask("anybody")).status]).toEqual([200, 401]);
  });
});
