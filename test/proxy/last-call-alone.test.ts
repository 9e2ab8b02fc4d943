import { describe, expect, it } from "vitest";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Heard, Said, Wire } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

/** An agent that sends its task and the call it made last, and nothing of what came of it. */
const task: Said = { who: "user", text: "Wait until the build has passed." };

/** All that such an agent does until its answer calls nothing. @param sees what it shows of the answer to its last request */
async function act(wire: Wire, model: Script, sees: (heard: Heard, turn: number) => readonly Said[], fields = {}) {
  const rig = await guardRig(model, { policy: standard() }, wire);
  const verdicts: (string | null)[] = [];
  const sessions = new Set<string | null>();
  let said: readonly Said[] = [task];
  for (let turn = 0; turn < 12; turn++) {
    const body = JSON.stringify(wire.body({ said, tools: [searchTool] }));
    const { headers, heard } = await postTo(wire, rig.url, body, fields);
    await new Promise((resolve) => setImmediate(resolve));
    verdicts.push(headers.get("x-unloop-verdict"));
    sessions.add(headers.get("x-unloop-session"));
    if (heard.calls.length === 0) break;
    said = [task, ...sees(heard, turn)];
  }
  return { verdicts, sessions };
}

const withResult =
  (text: (turn: number) => string) =>
  ({ entries, calls }: Heard, turn: number): readonly Said[] => [
    { who: "heard", entries },
    ...calls.map(({ id }): Said => ({ who: "tool", id, text: text(turn) })),
  ];

const queries = (...laps: readonly string[]): Script => {
  let asked = 0;
  return () => ({
    kind: "calls",
    calls: [{ tool: "search", args: JSON.stringify({ q: laps[asked++ % laps.length] }) }],
  });
};

describe("a history that holds the last call alone, and what came of it", () => {
  const wires = [chatCompletionsWire, ollamaWire];
  const named = { "x-unloop-session": "s-1" };
  const failing = withResult(() => "Error: no index named weather.");

  it.each(wires)("is a loop where the same call fails again and again: $name", async (wire) => {
    for (const fields of [{}, named]) {
      const { verdicts } = await act(wire, queries("weather"), failing, fields);
      expect(verdicts.slice(0, 3)).toEqual(["ok", "ok", "nudge"]);
      expect(verdicts.at(-1)).toBe("short-circuit");
    }
  });

  it("is another run's where two begin alike, and go on from one answer each", async () => {
    const rig = await guardRig(queries("weather"), { policy: standard() }, ollamaWire);
    const ask = async (said: readonly Said[]) => {
      const { headers, heard } = await postTo(
        ollamaWire,
        rig.url,
        JSON.stringify(ollamaWire.body({ said, tools: [searchTool] })),
      );
      await new Promise((resolve) => setImmediate(resolve));
      return { verdict: headers.get("x-unloop-verdict"), heard };
    };
    const whole: Said[] = [task];
    for (let turn = 0; turn < 2; turn++) whole.push(...failing((await ask(whole)).heard, turn));
    // The first run has gone on from its second answer with all of its history: what others show is their own.
    await ask(whole);
    for (let run = 0; run < 4; run++) expect((await ask(whole.slice(0, 3))).verdict).toBe("ok");
  });
});
