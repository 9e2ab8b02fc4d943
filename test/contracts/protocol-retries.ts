import { afterEach, expect, it, vi } from "vitest";
import { type GuardRig, guardRig, standard } from "../proxy/guard-rig.ts";
import { finalText } from "../support/agents/scripts.ts";
import { type WireAgent, wireAgent } from "../support/agents/wire-agent.ts";
import type { RawAnswer, ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { ModelView, Wire } from "../support/wires/wire.ts";
import { rowsFor } from "./protocol-requests.ts";

interface Failure {
  readonly status: number;
  readonly ending?: RawAnswer["ending"];
  /** Seconds between the attempts. */
  readonly pauses: readonly number[];
}

const doubling = [1, 2, 4, 8, 16, 32, 1];
const failures: readonly Failure[] = [
  // The answer ends before its end, breaks off, or is not waited for.
  { status: 200, ending: "end", pauses: doubling },
  { status: 200, ending: "cut", pauses: doubling },
  { status: 200, ending: "hang", pauses: doubling },
  { status: 408, pauses: doubling },
  { status: 429, pauses: [0.125, 0.25, 0.5, 1, 2, 4, 8] },
  { status: 500, pauses: doubling },
  { status: 503, pauses: [0.2, 0.4, 0.8, 1.6, 0, 0.2, 0.4] },
  { status: 529, pauses: [1, 1, 2, 5, 9, 9, 9] },
  // The connection is reset.
  { status: 502, pauses: doubling },
];

const answers: ScriptedAnswer = { kind: "text", text: finalText };
const nothing: ScriptedAnswer = { kind: "text", text: "" };
const call = (q: string): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool: "search", args: JSON.stringify({ q }) }],
});

export function retryStories(wire: Wire): void {
  const stream = true;
  afterEach(() => vi.restoreAllMocks());

  type Script = (attempt: number, view: ModelView) => ScriptedAnswer;
  let script: Script = () => answers;
  let attempt = 0;

  async function rigWith(first: Script) {
    script = first;
    const model = ({ view }: { view: ModelView }) => (view.turns === 0 ? call("Paris") : script(attempt++, view));
    return guardRig(model, { policy: standard() }, wire);
  }

  async function agentOf(rig: GuardRig, session: string): Promise<WireAgent> {
    attempt = 0;
    const agent = wireAgent(wire, { ...rig, stream, fields: { "x-unloop-session": session } });
    await agent.turn();
    return agent;
  }

  it("a client that backs off hears each failure of the API, and then its answer", async () => {
    let now = 1_000_000_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => now);
    const rig = await rigWith(() => answers);
    for (const [index, { status, ending, pauses }] of rowsFor(wire, failures).entries()) {
      let asked = 0;
      script = (_, view) => {
        if (asked === pauses.length) return answers;
        if (status === 502) throw new Error("The connection is reset.");
        if (ending === undefined) return { kind: "error", status, message: "overloaded" };
        const whole = wire.rendered(answers, view, () => "1");
        const said = whole.pieces.map(String).join("");
        return { ...whole, pieces: [said.slice(0, said.length / 2)], ending };
      };
      const agent = await agentOf(rig, `run-${index}`);
      const heard: number[] = [];
      for (const pause of pauses) {
        heard.push(await statusOf(`run-${index}`, agent, rig.url, ending === "hang"));
        now += pause * 1000;
        asked += 1;
      }
      expect(heard).toEqual(pauses.map(() => status));
      expect((await agent.again()).heard.text).toBe(finalText);
      // What is reset before a byte of its answer goes once more, on a fresh connection.
      if (status !== 502) expect(attempt).toBe(pauses.length + 1);
    }
  });

  it("a request that is answered alike each time is a storm at the sixth, whatever fails meanwhile", async () => {
    const rig = await rigWith(() => answers);
    for (const [index, answer] of rowsFor(wire, [call("Rome"), answers, nothing]).entries()) {
      script = (attempt) => (attempt === 2 ? { kind: "error", status: 503, message: "overloaded" } : answer);
      const agent = await agentOf(rig, `storm-${index}`);
      const verdicts: (string | null)[] = [];
      for (let i = 0; i < 8; i += 1) verdicts.push((await agent.again()).headers.get("x-unloop-verdict"));
      expect(verdicts).toEqual([...Array(6).fill("ok"), "short-circuit", "short-circuit"]);
    }
  });

  async function statusOf(session: string, agent: WireAgent, url: string, leaves: boolean): Promise<number> {
    const leaving = new AbortController();
    const response = await fetch(url + wire.path, {
      method: "POST",
      headers: { "content-type": "application/json", ...wire.fields, "x-unloop-session": session },
      body: agent.body(),
      signal: leaving.signal,
    });
    if (leaves) leaving.abort();
    await response.text().catch(() => "It ends in the middle, on purpose.");
    return response.status;
  }
}
