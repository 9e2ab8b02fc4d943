import { expect, it, onTestFinished, vi } from "vitest";
import { agent } from "../proxy/agent.ts";
import { post } from "../proxy/guard-rig.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { healthy } from "../support/agents/scripts.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";

/** The real server, and what its metrics say of exchanges in which no loop could be seen. */
async function guarded(script: Script) {
  const upstream = await scriptedUpstream(script);
  const { url, close } = await startGuard({ upstream: upstream.url });
  onTestFinished(() => upstream.close());
  onTestFinished(close);
  const untold = async () => {
    const text = await (await fetch(`${url}/unloop/metrics`)).text();
    return /^unloop_untold_exchanges_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1] ?? "0";
  };
  return { url, upstream, untold };
}

it("exchanges of a client that never tells a step are counted from the fifth on", async () => {
  const { url, untold } = await guarded(() => ({ kind: "text", text: "Hm." }));
  for (let count = 0; count < 7; count += 1) {
    const messages = [
      { role: "system", content: "You plan." },
      { role: "user", content: `State number ${count}` },
    ];
    await post(url, JSON.stringify({ model: "m", messages }));
  }
  await vi.waitFor(async () => expect(await untold()).toBe("3"));
});

it("exchanges of a client that tells its steps are not counted", async () => {
  const { url, upstream, untold } = await guarded(healthy(7));
  await agent({ url, upstream }).turns(8);
  expect(await untold()).toBe("0");
});
