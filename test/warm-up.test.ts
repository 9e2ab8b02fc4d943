import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Meter, noMeter } from "../src/proxy/proxy.ts";
import { madeUpRun } from "../src/warm-up-runs.ts";
import { looping } from "./support/agents/scripts.ts";
import { inProcess } from "./support/builders/in-process.ts";
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
    expect((await read("metrics")).text).not.toMatch(/^unloop_(requests|steps|forwarded_first)\w*(?:\{.*\})? [1-9]/m);
    expect(JSON.parse((await read("api/sessions")).text)).toMatchObject({ sessions: [] });
    expect(JSON.parse((await read("api/journal")).text)).toMatchObject({ entries: [] });
    expect(upstream.requests).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4, 5])("plays run %i as a healthy one that is read by its new messages alone", async (run) => {
    const turns = [...madeUpRun(run, 20)];
    const exchanges: unknown[] = [];
    const meter: Meter = { ...noMeter, exchange: (verdict, _ms, _stepless, read) => exchanges.push([verdict, read]) };
    const answer = (_: unknown, at: number) => {
      const { body, contentType } = turns[at]?.answer ?? { body: "", contentType: "" };
      return new Response(body, { headers: { "content-type": contentType } });
    };
    const guard = inProcess(answer, { meter });
    for (const [turn, { path, body }] of turns.entries()) {
      const response = await guard.fetch(path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      await response.text();
      // A turn is remembered behind its answer.
      await vi.waitFor(() => expect(exchanges).toHaveLength(turn + 1), { interval: 1 });
    }
    expect(exchanges).toEqual([["ok", "whole"], ...Array(19).fill(["ok", "tail"])]);
  });
});
