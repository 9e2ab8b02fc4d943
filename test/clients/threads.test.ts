import { describe, expect, it } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { finalText } from "../support/agents/scripts.ts";
import { tap } from "../support/servers/tap.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { threadClients } from "./anthropic.ts";
import type { Client } from "./client.ts";

const search = (q: string): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool: "search", args: JSON.stringify({ q }) }],
});
const final: ScriptedAnswer = { kind: "text", text: finalText };

/** A run whose requests tell nothing but the newest results. */
async function guardedRun(client: Client, script: Script, policy = "default") {
  const upstream = await scriptedUpstream(script, client.wire);
  const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_POLICY: policy } });
  const tapped = await tap(guard.url);
  try {
    const run = await client.run({ baseURL: `${tapped.url}/v1`, maxSteps: 14 });
    const verdicts = tapped.exchanges.map(({ answerFields }) => answerFields["x-unloop-verdict"]);
    return { run, verdicts, requests: upstream.requests, sent: tapped.exchanges.map(({ bytes }) => bytes.toString()) };
  } finally {
    await tapped.close();
    await guard.close();
    await upstream.close();
  }
}

describe.each(threadClients)("$name", (client) => {
  it("leaves a healthy run alone, byte for byte", async () => {
    const { run, verdicts, requests, sent } = await guardedRun(client, (_, index) =>
      index < 6 ? search(`district ${index}`) : final,
    );
    expect(run).toMatchObject({ toolRuns: 6, finalText: expect.stringContaining(finalText) });
    expect(verdicts).toEqual(Array(7).fill("ok"));
    expect(requests.map(({ bytes }) => bytes.toString())).toEqual(sent);
    expect(requests.map(({ json }) => Object(json).thread?.type)).toEqual(["create", ...Array(6).fill("continue")]);
  });

  it("climbs all rungs at the turns of a run that carries its history", async () => {
    const { run, verdicts } = await guardedRun(client, () => search("Paris"), JSON.stringify({ intercept: "off" }));
    expect(verdicts).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
    expect(run).toMatchObject({ toolRuns: 6, finalText: expect.stringContaining("going in circles") });
  });

  it("is told before its third repeat reaches it, and goes on where the model heeds that", async () => {
    const { run, verdicts } = await guardedRun(client, ({ bytes }) =>
      bytes.includes("[unloop]") ? final : search("Paris"),
    );
    expect(verdicts).toEqual(["ok", "ok", "nudge"]);
    expect(run).toMatchObject({ toolRuns: 2, finalText: expect.stringContaining(finalText) });
  });
});
