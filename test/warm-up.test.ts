import { expect, it, onTestFinished, vi } from "vitest";
import { readSettings, serve } from "../src/node.ts";
import { looping } from "./support/agents/scripts.ts";
import { scriptedUpstream } from "./support/servers/upstream.ts";

function stopClocks() {
  const clocks = [
    vi.spyOn(performance, "now").mockReturnValue(0),
    vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 }),
  ];
  const goOn = () => {
    for (const clock of clocks) clock.mockRestore();
  };
  onTestFinished(goOn);
  return goOn;
}

async function warming() {
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  const settings = readSettings({ UNLOOP_UPSTREAM: upstream.url, UNLOOP_PORT: "0", UNLOOP_LOG: "silent" });
  const guard = await serve(settings, undefined, undefined, { warmsUp: true });
  onTestFinished(() => guard.drain(0));
  const read = async (path: string) => {
    const response = await fetch(`${guard.url}/unloop/${path}`);
    return { status: response.status, text: await response.text() };
  };
  return {
    upstream,
    url: guard.url,
    read,
    isReady: () => expect.poll(async () => (await read("readyz")).status).toBe(200),
  };
}

it("is told by the readiness check alone, and leaves nothing in metrics, sessions, journal and upstream", async () => {
  const goOn = stopClocks();
  const { upstream, read, isReady } = await warming();
  expect(await read("readyz")).toEqual({ status: 503, text: '{"status":"warming-up"}' });
  expect(await read("healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
  goOn();
  await isReady();
  expect((await read("metrics")).text).not.toMatch(/^unloop_(exchanges|tokens)\w*(?:\{.*\})? [1-9]/m);
  expect(JSON.parse((await read("api/sessions")).text)).toMatchObject({ sessions: [] });
  expect(JSON.parse((await read("api/journal")).text)).toMatchObject({ entries: [] });
  expect(upstream.requests).toEqual([]);
});

it("gives way to the first request of a client", async () => {
  stopClocks();
  const { upstream, url, read } = await warming();
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(answer.status).toBe(200);
  expect(upstream.requests).toHaveLength(1);
  await expect.poll(async () => (await read("readyz")).status).toBe(200);
});
