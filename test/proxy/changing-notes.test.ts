import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { rowsFor } from "../contracts/protocol-requests.ts";
import { guardRig, standard } from "./guard-rig.ts";

/** Where a harness says to its model, as an instruction, what is new: in front of the first turn, or at the end. */
type Place = "behind the task" | "at the end" | "at the end, from the second request on";

const notes: readonly ((turn: number) => string)[] = [
  (turn) => `Remaining steps: ${24 - turn}`,
  (turn) =>
    `<environment_details>\n# Context\n${2400 + 317 * turn} / 200,000 tokens used (${turn}%)\n</environment_details>`,
  (turn) => `So far: ${["nothing", "one lookup", "two lookups", "three lookups", "four"][turn]}. Be brief.`,
];

const places: readonly Place[] = ["behind the task", "at the end", "at the end, from the second request on"];
const wires = [
  [chatCompletionsWire, "messages", "system"],
  [messagesWire, "messages", "system"],
  [responsesWire, "input", "developer"],
] as const;
const rows = wires.flatMap((wire) =>
  rowsFor(
    wire[0],
    places.flatMap((place) => notes.map((note) => [wire, place, note] as const)),
  ),
);

describe("a run whose harness adds an instruction that is new with each request", () => {
  it.each(rows)("has one session id and ends as others do (%#)", async ([wire, list, role], place, note) => {
    const rig = await guardRig(looping("force-done"), { policy: standard() }, wire);
    const said: Said[] = [{ who: "user", text: "What is the weather in Paris?" }];
    const sessions = new Set<string | null>();
    const verdicts: (string | null)[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const body = withNote(
        wire,
        said,
        { list, role, content: note(turn) },
        turn === 0 && place === places[2] ? undefined : place,
      );
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

interface Note {
  readonly list: string;
  readonly role: string;
  readonly content: string;
}

function withNote(wire: Wire, said: readonly Said[], { list, role, content }: Note, place: Place | undefined): object {
  const body = wire.body({ system: "You help.", tools: [searchTool], said });
  const entries = [...((body as Record<string, unknown[]>)[list] ?? [])];
  const task = entries.findIndex((entry) => (entry as { role?: string }).role === "user");
  if (place !== undefined)
    entries.splice(place === "behind the task" ? task + 1 : entries.length, 0, { role, content });
  return { ...body, [list]: entries };
}
