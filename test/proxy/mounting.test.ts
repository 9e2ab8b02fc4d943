import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { unloop, webTransport } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { looping } from "../support/agents/scripts.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { agent, verdictsOf } from "./agent.ts";

const climb = ["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit", "short-circuit"];

async function upstreamAt() {
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  return upstream;
}

describe.each([
  { name: "webTransport", transport: webTransport },
  { name: "nodeTransport", transport: nodeTransport },
])("mounted in somebody's app under @hono/node-server, with $name", ({ transport }) => {
  async function mounted(path: string) {
    const upstream = await upstreamAt();
    const moves = transport();
    const app = new Hono();
    app.get("/health", (context) => context.text("fine"));
    app.route(path, unloop({ upstream: upstream.url, transport: moves }));
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    onTestFinished(async () => {
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await moves.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, upstream };
  }

  it.each([{ extra: {} }, { extra: { stream: true } }])("the guard does its work: $extra", async ({ extra }) => {
    const { url, upstream } = await mounted("/llm");
    const turns = await agent({ url: `${url}/llm`, upstream, extra }).turns(7);
    expect(verdictsOf(turns)).toEqual(climb);
    // The third and fifth answers were asked for again; after the end nothing new was heard, so nothing was asked.
    expect(upstream.requests.map(({ target }) => target)).toEqual(Array(7).fill("/v1/chat/completions"));
  });

  it("the app's own routes stay its own", async () => {
    const { url, upstream } = await mounted("/llm");
    expect(await (await fetch(`${url}/health`)).text()).toBe("fine");
    expect((await fetch(`${url}/v1/models`)).status).toBe(404);
    expect(upstream.requests).toEqual([]);
  });
});

describe("mounted in an app that is asked without any server", () => {
  it.each([false, true])("the guard does its work, streaming %s", async (stream) => {
    const upstream = await upstreamAt();
    const app = new Hono().route("/llm", unloop({ upstream: upstream.url }));
    const messages: object[] = [{ role: "user", content: "What is the weather in Paris?" }];
    const verdicts: (string | null)[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      const body = JSON.stringify({ messages, stream });
      const response = await app.request("/llm/v1/chat/completions", { method: "POST", body });
      expect(response.headers.get("content-type")).toContain(stream ? "text/event-stream" : "application/json");
      await response.text();
      verdicts.push(response.headers.get("x-unloop-verdict"));
      const call = { id: `c${turn}`, type: "function", function: { name: "search", arguments: '{"q":"Paris"}' } };
      messages.push({ role: "assistant", content: null, tool_calls: [call] });
      messages.push({ role: "tool", tool_call_id: `c${turn}`, content: "rain" });
    }
    // This agent's history tells of other calls than the model made, so that none of its answers repeats one.
    expect(verdicts).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
  });
});
