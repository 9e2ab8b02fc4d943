import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { unloop, webTransport } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { looping } from "../support/agents/scripts.ts";
import { called, chatBody, repeated, user } from "../support/builders/chat-history.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { agent, verdictsOf } from "./agent.ts";
import { climb } from "./guard-rig.ts";

const lap = (i: number) => called(`c${i}`, "search", { q: "Paris" }, "rain");

async function upstreamAt() {
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  return upstream;
}

describe.each([
  { name: "webTransport", transport: webTransport },
  { name: "nodeTransport", transport: nodeTransport },
])("mounted in somebody's app under @hono/node-server, with $name", ({ transport }) => {
  it("the guard does its work, streaming or not, and the app's own routes stay its own", async () => {
    const upstream = await upstreamAt();
    const moves = transport();
    const app = new Hono();
    app.get("/health", (context) => context.text("fine"));
    app.route("/llm", unloop({ upstream: upstream.url, transport: moves }));
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    onTestFinished(async () => {
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await moves.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await (await fetch(`${url}/health`)).text()).toBe("fine");
    expect((await fetch(`${url}/v1/models`)).status).toBe(404);
    for (const stream of [false, true]) {
      const run = agent({ url: `${url}/llm`, upstream, task: `Streamed: ${stream}`, extra: { stream } });
      const ended = ["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit", "short-circuit"];
      expect(verdictsOf(await run.turns(7))).toEqual(ended);
    }
    // The third and fifth answers were asked for again; after the end nothing new was heard, so nothing was asked.
    expect(upstream.requests.map(({ target }) => target)).toEqual(Array(14).fill("/v1/chat/completions"));
  });
});

it.each([false, true])(
  "mounted in an app that is asked without any server the guard does its work, streaming %s",
  async (stream) => {
    const upstream = await upstreamAt();
    const app = new Hono().route("/llm", unloop({ upstream: upstream.url }));
    const verdicts: (string | null)[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      // This agent's history tells of other calls than the model made, so that none of its answers repeats one.
      const body = chatBody([user("What is the weather in Paris?"), ...repeated(turn, lap)], { stream });
      const response = await app.request("/llm/v1/chat/completions", { method: "POST", body });
      expect(response.headers.get("content-type")).toContain(stream ? "text/event-stream" : "application/json");
      await response.text();
      verdicts.push(response.headers.get("x-unloop-verdict"));
    }
    expect(verdicts).toEqual(climb);
  },
);
