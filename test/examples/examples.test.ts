import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import tail from "../../examples/tail-worker/worker.ts";
import { apiRig } from "../admin/api-rig.ts";
import { agent, verdictsOf, post } from "../proxy/guard-rig.ts";
import { finalText, looping } from "../support/agents/scripts.ts";
import type { Upstream } from "../support/servers/upstream.ts";
import { startWorkerd } from "../support/servers/workerd.ts";
import { examplePath, printedBy, urlOfApp } from "./example.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

it("examples/README.md has a row for every example, and none that there is not", () => {
  const readme = readFileSync(examplePath("README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| \[([\w/.-]+)\]\(\1\) \|/gm)].map(([, path]) => path);
  const files = readdirSync(examplePath(""), { recursive: true, encoding: "utf8" });
  expect(rows.sort()).toEqual(files.filter((file) => file.includes("/")).sort());
});

const ended = ["ok", "ok", "nudge", "ok", "force-done"];
const byStep = (verdicts: readonly string[]) => verdicts.map((verdict, at) => `step ${at + 1}: ${verdict}`);

describe("an example of an agent prints every verdict, and the answer that the model was made to give", () => {
  it.each([
    { policy: undefined, verdicts: ended },
    { policy: readFileSync(examplePath("policy/support-bot.json"), "utf8"), verdicts: ["ok", "nudge", "force-done"] },
  ])("openai, by the policy %#", async ({ policy, verdicts }) => {
    const { url } = await apiRig(policy === undefined ? {} : { UNLOOP_POLICY: policy }, looping("force-done"));
    expect(await printedBy("openai/agent.ts", { OPENAI_BASE_URL: `${url}/v1` })).toEqual([
      ...byStep(verdicts),
      finalText,
    ]);
  });

  it.each([
    { name: "ai-sdk/agent.ts", printed: byStep(ended) },
    { name: "langchain/agent.ts", printed: ended },
    // It nudges its own model, makes it finish, and asks the API and nothing else.
    { name: "engine/agent.ts", printed: ["step 3: nudge", "step 4: force-done"], requests: 5 },
  ])("$name, with the guard in process", async ({ name, printed, requests }) => {
    const model = await upstreamOf(looping("force-done"));
    const lines = await printedBy(name, { OPENAI_BASE_URL: `${model.url}/v1` });
    expect(lines.map((line) => line.split(",")[0])).toEqual([...printed, finalText]);
    if (requests !== undefined) expect(model.requests).toHaveLength(requests);
  });
});

let upstream: Upstream;
beforeEach(async () => {
  upstream = await upstreamOf(looping("nothing"));
});

async function expectGuarded(url: string): Promise<void> {
  for (const stream of [false, true]) {
    const turns = await agent({ url, upstream, task: `Streamed: ${stream}`, extra: { stream } }).turns(5);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "nudge", "ok", "short-circuit"]);
  }
}

describe("an example of an app that mounts the guard", () => {
  it.each(["express/app.ts", "fastify/app.ts"])("%s guards below its path", async (name) => {
    await expectGuarded((await urlOfApp(name, { UPSTREAM: upstream.url })).replace(/\/v1$/, ""));
  });

  it("hono/app.ts guards below its path, behind the app's own middleware", async () => {
    const url = (await urlOfApp("hono/app.ts", { UPSTREAM: upstream.url })).replace(/\/v1$/, "");
    const ask = (headers = {}) => post(url, '{"messages":[{"role":"user","content":"hi"}]}', headers);
    expect((await ask()).status).toBe(401);
    expect((await ask({ "x-team": "search" })).headers.get("x-unloop-verdict")).toBe("ok");
    expect(upstream.requests).toHaveLength(1);
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

it("the example of a Tail Worker posts once for a run that was ended, and not for healthy ones", async () => {
  const line = (facts: object) => ({ message: [JSON.stringify({ event: "exchange", ...facts })] });
  const logs = [line({ verdict: "ok" }), line({ verdict: "short-circuit", session: "s1" }), { message: ["no JSON"] }];
  await tail.tail([{ logs }], { WEBHOOK_URL: `${upstream.url}/hook` });
  expect(upstream.requests.map(({ target, json }) => [target, json])).toEqual([
    ["/hook", { text: "short-circuit in session s1. " }],
  ]);
});
