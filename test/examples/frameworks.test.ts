import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import tail from "../../examples/tail-worker/worker.ts";
import { agent, verdictsOf } from "../proxy/agent.ts";
import { looping } from "../support/agents/scripts.ts";
import { scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { startWorkerd } from "../support/servers/workerd.ts";
import { startExample } from "./example.ts";

const climb = ["ok", "ok", "nudge", "ok", "short-circuit"];

let upstream: Upstream;

beforeEach(async () => {
  upstream = await scriptedUpstream(looping("nothing"));
});

afterEach(() => upstream.close());

/** Runs that loop, answered in one piece and streamed. */
async function expectGuarded(url: string): Promise<void> {
  for (const stream of [false, true]) {
    const turns = await agent({ url, upstream, task: `Streamed: ${stream}`, extra: { stream } }).turns(5);
    expect(verdictsOf(turns)).toEqual(climb);
  }
}

describe("the examples of apps that mount the guard", () => {
  it.each(["express/app.ts", "fastify/app.ts"])("%s guards below its path", async (name) => {
    const app = startExample(name, { UPSTREAM: upstream.url, PORT: "0" });
    onTestFinished(async () => {
      app.kill();
      await once(app, "exit");
    });
    const [line] = await once(app.stdout ?? app, "data");
    await expectGuarded(String(line).trim().replace(/\/v1$/, ""));
  });

  it("web/server.ts passes on byte for byte what its middleware has read", async () => {
    const body = '{ "model": "m", "seed": 12345678901234567890, "messages": [{"role": "user", "content": "hi"}] }';
    vi.stubEnv("UPSTREAM", upstream.url);
    const { default: web } = await import("../../examples/web/server.ts");
    vi.unstubAllEnvs();
    const response = await web.fetch(new Request("http://host/llm/v1/chat/completions", { method: "POST", body }));
    expect(response.headers.get("x-unloop-verdict")).toBe("ok");
    expect(upstream.requests.map(({ bytes }) => String(bytes))).toEqual([body]);
  });

  it("worker/worker.ts guards below its path, in workerd", { timeout: 60_000 }, async () => {
    const { url, stop } = await startWorkerd({ UNLOOP_UPSTREAM: upstream.url }, "examples/worker/worker.ts");
    onTestFinished(stop);
    expect(await (await fetch(url)).text()).toContain("/llm/v1");
    await expectGuarded(`${url}/llm`);
  });
});

describe("the example of a Tail Worker", () => {
  it("posts once for a run that was ended, and not for healthy ones", async () => {
    const line = (facts: object) => ({ message: [JSON.stringify({ event: "exchange", ...facts })] });
    const logs = [line({ verdict: "ok" }), line({ verdict: "short-circuit", session: "s1" }), { message: ["no JSON"] }];
    await tail.tail([{ logs }], { WEBHOOK_URL: `${upstream.url}/hook` });
    expect(upstream.requests.map(({ target, json }) => [target, json])).toEqual([
      ["/hook", { text: "short-circuit in session s1. " }],
    ]);
  });
});
