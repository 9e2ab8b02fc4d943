import { expect, it, vi } from "vitest";
import { healthy } from "../support/agents/scripts.ts";
import type { RawAnswer, ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Wire } from "../support/wires/wire.ts";
import { postTo } from "../support/agents/wire-agent.ts";
import { guardBefore, guardRig, standard } from "../proxy/guard-rig.ts";
import { rowsFor } from "./protocol-requests.ts";
import { retryStories } from "./protocol-retries.ts";

const user = { who: "user", text: "What is the weather in Paris?" } as const;

export function endingStories(wire: Wire): void {
  const stream = true;
  retryStories(wire);
  const body = () => JSON.stringify(wire.body({ said: [user], stream }));
  const rendered = (answer: ScriptedAnswer) =>
    wire.rendered(answer, wire.view(wire.body({ said: [user], stream })), () => "1");

  it.each(rowsFor(wire, [503, 400, 401, 429]))("an upstream's error %i passes as it came", async (status) => {
    const rig = await guardRig(() => ({ kind: "error", status, message: "No." }), { policy: standard() }, wire);
    const given = await postTo(wire, rig.url, body());
    expect(given.status).toBe(status);
    expect(given.text).toBe(String(rig.upstream.requests[0]?.answer));
  });

  it("an upstream that is not there is told in the API's own shape", async () => {
    const guard = await guardBefore("http://127.0.0.1:9", { policy: standard() });
    const { status, heard } = await postTo(wire, guard.url, body());
    expect(status).toBe(502);
    expect(heard.error).toMatchObject({ type: "api_error", message: expect.stringContaining("upstream") });
  });

  it("a body over the cap is refused in the API's own shape", async () => {
    const rig = await guardRig(healthy(0), { policy: standard(), maxBodyBytes: 1_000 }, wire);
    const said = [{ who: "user", text: "x".repeat(2_000) }] as const;
    const { status, heard } = await postTo(wire, rig.url, JSON.stringify(wire.body({ said, stream })));
    expect(status).toBe(413);
    expect(heard.error?.message).toContain("UNLOOP_MAX_BODY_BYTES");
    expect(rig.upstream.requests).toEqual([]);
  });

  it.each(rowsFor(wire, ['{"messages":1,"input":1}', "no JSON", "[]", "{}"]))(
    "a body that is not understood passes: %s",
    async (odd) => {
      const rig = await guardRig(() => ({ kind: "error", status: 400, message: "?" }), { policy: standard() }, wire);
      const { headers } = await postTo(wire, rig.url, odd);
      expect(headers.get("x-unloop-verdict")).toBe("unguarded");
      expect(String(rig.upstream.requests[0]?.bytes)).toBe(odd);
    },
  );

  it("an answer that breaks off is broken off for the client, too, and not taken for a turn", async () => {
    const whole = rendered(search);
    const half = joined(whole).slice(0, joined(whole).length / 2);
    const rig = await guardRig(() => ({ ...whole, pieces: [half], ending: "cut" }), { policy: standard() }, wire);
    await expect(postTo(wire, rig.url, body())).rejects.toThrow();
    await vi.waitFor(() => expect(rig.logged).toContainEqual(expect.objectContaining({ event: "exchange" })));
  });

  async function heardOf(answer: ScriptedAnswer) {
    const whole = rendered(answer);
    const pieces = whole.pieces.slice(0, Math.floor(whole.pieces.length * 0.8));
    const rig = await guardRig(() => ({ ...whole, pieces, ending: "hang" }), { policy: standard() }, wire);
    const { heard } = await postTo(wire, rig.url, body());
    await vi.waitFor(() => expect(rig.upstream.requests[0]?.aborted).toBe(true));
    return heard;
  }
  const text = "I will check the file again. ".repeat(60);

  it("an answer that repeats itself without end is cut off, and ends as a whole one", async () => {
    const heard = await heardOf({ kind: "text", text });
    expect([heard.error, typeof heard.finish]).toEqual([undefined, "string"]);
    expect(text.startsWith(heard.text)).toBe(true);
    expect(heard.text.length).toBeLessThan(text.length / 2);
  });

  it.runIf(wire.streamsArguments)("begun arguments that repeat themselves are closed to valid JSON", async () => {
    const args = `{"path":"a.txt","lines":["${text}`;
    const heard = await heardOf({ kind: "calls", calls: [{ tool: "write_file", args }] });
    expect(JSON.parse(heard.calls[0]?.args ?? "")).toMatchObject({ path: "a.txt" });
  });
}

const search = {
  kind: "calls",
  text: "I look.",
  calls: [{ tool: "search", args: '{"q":"weather in Paris"}' }],
} as const;

function joined({ pieces }: RawAnswer): string {
  return pieces.map(String).join("");
}
