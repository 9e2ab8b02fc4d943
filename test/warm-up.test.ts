import { describe, expect, it, onTestFinished } from "vitest";
import { looping } from "./support/agents/scripts.ts";
import { startGuard } from "./support/servers/guarded.ts";
import { scriptedUpstream } from "./support/servers/upstream.ts";

async function warming(ms: number) {
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_WARM_UP_MS: String(ms) } });
  onTestFinished(() => guard.close());
  const read = async (path: string) => {
    const response = await fetch(`${guard.url}/unloop/${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { upstream, read };
}

describe("warming up", () => {
  it("is told by the readiness check alone, and ends with the server", async () => {
    const { read } = await warming(60_000);
    expect(await read("readyz")).toEqual({ status: 503, text: '{"status":"warming-up"}' });
    expect(await read("healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it("leaves nothing in metrics, sessions, journal and upstream", async () => {
    const { upstream, read } = await warming(1);
    await expect.poll(async () => (await read("readyz")).status).toBe(200);
    expect((await read("metrics")).text).not.toMatch(/^unloop_(exchanges|tokens)\w*(?:\{.*\})? [1-9]/m);
    expect(JSON.parse((await read("api/sessions")).text)).toMatchObject({ sessions: [] });
    expect(JSON.parse((await read("api/journal")).text)).toMatchObject({ entries: [] });
    expect(upstream.requests).toEqual([]);
  });
});
