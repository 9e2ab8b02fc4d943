import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire as wire } from "../support/wires/chat-completions.ts";
import type { Said } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

/** Where a harness says to its model, as an instruction, what is new: in front of the first turn, or at the end. */
type Place = "behind the task" | "at the end" | "at the end, from the second request on";

const note = (turn: number) => `Remaining steps: ${24 - turn}`;

const places: readonly Place[] = ["behind the task", "at the end", "at the end, from the second request on"];
describe("a run whose harness adds an instruction that is new with each request", () => {
  it.each(places)("has one session id and ends as others do: %s", async (place) => {
    const rig = await guardRig(looping("force-done"), { policy: standard() }, wire);
    const said: Said[] = [{ who: "user", text: "What is the weather in Paris?" }];
    const sessions = new Set<string | null>();
    const verdicts: (string | null)[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const body = withNote(said, note(turn), turn === 0 && place === places[2] ? undefined : place);
      const { headers, heard } = await postTo(wire, rig.url, JSON.stringify(body));
      sessions.add(headers.get("x-unloop-session"));
      verdicts.push(headers.get("x-unloop-verdict"));
      said.push({ who: "heard", entries: heard.entries });
      for (const { id } of heard.calls) said.push({ who: "tool", id, text: "Rain in the morning, sun after noon." });
    }
    expect(verdicts).toEqual(["ok", "ok", "nudge", "ok", "force-done"]);
    expect(sessions.size).toBe(1);
  });
});

function withNote(said: readonly Said[], content: string, place: Place | undefined): object {
  const body = wire.body({ system: "You help.", tools: [searchTool], said });
  const messages = [...((body as { messages?: object[] }).messages ?? [])];
  const task = messages.findIndex((message) => (message as { role?: string }).role === "user");
  if (place !== undefined)
    messages.splice(place === "behind the task" ? task + 1 : messages.length, 0, { role: "system", content });
  return { ...body, messages };
}
