import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import type { Said, SaidCall, Wire } from "../support/wires/wire.ts";
import { resultOf, wireAgent, type WireTurn } from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { verdictsOf, climb, guardRig, requestsOnly } from "../proxy/guard-rig.ts";
import { received, rowsFor } from "./protocol-requests.ts";

const stream = true;
const options = () => ({ policy: requestsOnly() });

export function sessionStories(wire: Wire): void {
  const call = (id: string, args = '{"q":"Paris"}'): SaidCall => ({ id, tool: "search", args });

  it.each([
    { name: "two runs of the same task", systems: ["You search.", "You search."], fields: {} },
    { name: "sub-agents of one session", systems: ["You plan.", "You search."], fields: { "x-unloop-session": "one" } },
  ])("$name climb their own ladders", async ({ systems, fields }) => {
    const rig = await guardRig(looping("nothing"), options(), wire);
    const runs = systems.map((system) => wireAgent(wire, { ...rig, stream, system, fields }));
    const verdicts: (string | null)[][] = [[], []];
    for (let i = 0; i < 4; i += 1)
      for (const [index, run] of runs.entries()) verdicts[index]?.push(...verdictsOf([await run.turn()]));
    expect(verdicts).toEqual([climb.slice(0, 4), climb.slice(0, 4)]);
  });

  it.runIf(wire.namesCalls)(
    "a request to compact the history passes as it is, and what was due is told behind it",
    async () => {
      const rig = await guardRig(looping("nothing"), options(), wire);
      const agent = wireAgent(wire, { ...rig, stream });
      const before = await agent.turns(3);
      const prompt =
        "Respond with TEXT ONLY, do not call any tools. Write a detailed summary of the conversation so far.";
      agent.said.push({ who: "user", text: prompt });
      const compacting = await agent.again();
      expect(verdictsOf([compacting])).toEqual(["ok"]);
      expect(received(compacting)).toBe(compacting.sent);
      agent.said.pop();
      agent.said.splice(0, agent.said.length - 2, { who: "user", text: "This is what was done so far. Go on." });
      expect(verdictsOf([...before, ...(await agent.turns(4))])).toEqual(climb);
    },
  );

  it.runIf(wire.namesCalls)("a turn of parallel calls is one step, in whatever order its outcomes come", async () => {
    const rig = await guardRig(healthy(0), options(), wire);
    const said: Said[] = [{ who: "user", text: "Compare Paris and Rome." }];
    for (const turn of [1, 2, 3]) {
      const calls = [call(`call_a${turn}`), call(`call_b${turn}`, '{"q":"Rome"}')];
      const outcomes: Said[] = [
        { who: "tool", id: `call_a${turn}`, text: "Paris: rain." },
        { who: "tool", id: `call_b${turn}`, text: "Rome: sun." },
      ];
      said.push({ who: "assistant", calls }, ...(turn === 2 ? outcomes.toReversed() : outcomes));
    }
    const turn = await wireAgent(wire, { ...rig, stream, said }).turn();
    expect(turn.headers.get("x-unloop-verdict")).toBe("nudge");
    expect(turn.headers.get("x-unloop-count")).toBe("3");
    expect(wire.view(JSON.parse(received(turn))).texts.filter((text) => text.includes("[unloop]"))).toHaveLength(1);
  });

  describe.runIf(wire.namesCalls)("an agent that adds each turn to one message", () => {
    async function growing(script: Script, turns: number, words = "") {
      const rig = await guardRig(script, options(), wire);
      const calls: SaidCall[] = [];
      const taken: WireTurn[] = [];
      for (let i = 0; i < turns; i += 1) {
        const results = calls.map(
          ({ id, args }): Said => ({ who: "tool", id, text: resultOf({ id, tool: "search", args }) }),
        );
        const turn: Said = { who: "assistant", calls: [...calls], text: words.repeat(i) };
        const said: Said[] = [{ who: "user", text: "What is the weather?" }, ...(i === 0 ? [] : [turn]), ...results];
        taken.push(await wireAgent(wire, { ...rig, stream, said }).turn());
        calls.push(...(taken.at(-1)?.heard.calls ?? []));
      }
      return { taken, calls };
    }

    it.each(rowsFor(wire, ["I look. ", ""]))("is seen when it loops (saying %j)", async (words) => {
      const { taken, calls } = await growing(looping("nothing"), 7, words);
      expect(verdictsOf(taken)).toEqual(climb);
      expect(taken.map(({ headers }) => headers.get("x-unloop-steps")).join("")).toBe("0123456");
      const texts = wire.view(JSON.parse(received(taken[4]))).texts;
      // Where one message has all results of a turn, the last one is the only one.
      const last = wire.name === "messages" || wire.name === "gemini" ? 0 : 1;
      expect(texts.findIndex((text) => text.includes("[unloop]"))).toBeLessThan(texts.length - last);
      expect(calls).toHaveLength(6);
    });

    it("is left alone while it is healthy", async () => {
      const search = (_: unknown, index: number): ScriptedAnswer => ({
        kind: "calls",
        calls: [{ tool: "search", args: JSON.stringify({ q: `weather in district ${index}` }) }],
      });
      const { taken } = await growing(search, 8);
      expect(verdictsOf(taken)).toEqual(Array(8).fill("ok"));
      expect(taken.map(received)).toEqual(taken.map(({ sent }) => sent));
    });

    it("has parallel calls of one turn counted as one", async () => {
      const both: Script = () => ({
        kind: "calls",
        calls: ["Paris", "Rome"].map((q) => ({ tool: "search", args: JSON.stringify({ q }) })),
      });
      const { taken } = await growing(both, 7);
      expect(verdictsOf(taken)).toEqual(climb);
      expect(taken.at(-1)?.headers.get("x-unloop-steps")).toBe("6");
    });
  });

  it.runIf(wire.refersToAnswers)(
    "a request that names the answer it goes on from belongs to that answer's run",
    async () => {
      const rig = await guardRig(looping("nothing"), options(), wire);
      const verdicts: (string | null)[] = [];
      let said: readonly Said[] = [{ who: "user", text: "What is the weather in Paris?" }];
      let previousAnswerId: string | undefined;
      for (let i = 0; i < 7; i += 1) {
        const turn = await wireAgent(wire, {
          ...rig,
          stream,
          said,
          ...(previousAnswerId && { previousAnswerId }),
        }).turn();
        verdicts.push(...verdictsOf([turn]));
        previousAnswerId = turn.heard.id;
        said = turn.heard.calls.map(({ id }) => ({ who: "tool", id, text: "Rain." }));
      }
      expect(verdicts).toEqual(climb);
    },
  );
}
