import { describe, expect, it } from "vitest";
import { postTo, resultOf, searchTool } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Said, SaidCall } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

/** What a client makes of an answer's calls: the steps that it tells. */
type Keeps = (calls: readonly SaidCall[]) => readonly SaidCall[];

const last: Keeps = (calls) => calls.slice(-1);
const first: Keeps = (calls) => calls.slice(0, 1);
const all: Keeps = (calls) => calls;

/** The verdicts of a run in which each answer asks for the same, and each call that is kept is told as a step of its own. */
async function verdictsOf(keeps: Keeps, queries: (turn: number) => readonly string[]) {
  let turn = 0;
  const rig = await guardRig(
    ({ view: { forced } }) => {
      if (forced !== undefined) return { kind: "text", text: "Done." };
      return { kind: "calls", calls: queries(turn).map((q) => ({ tool: "search", args: JSON.stringify({ q }) })) };
    },
    { policy: standard() },
    wire,
  );
  const said: Said[] = [{ who: "user", text: "What is the weather in Paris?" }];
  const verdicts: (string | null)[] = [];
  for (; turn < 8; turn++) {
    const { headers, heard } = await postTo(
      wire,
      rig.url,
      JSON.stringify(wire.body({ tools: [searchTool], stream: true, said })),
    );
    verdicts.push(headers.get("x-unloop-verdict"));
    if (heard.calls.length === 0) break;
    for (const call of keeps(heard.calls))
      said.push({ who: "assistant", calls: [call] }, { who: "tool", id: call.id, text: resultOf(call) });
  }
  return verdicts.join(" ");
}

const wire = chatCompletionsWire;
const standardEnd = "ok ok nudge ok force-done";

describe("a client that keeps one of an answer's calls", () => {
  it.each<readonly [string, Keeps, (turn: number) => readonly string[]]>([
    ["the last one of two", last, () => ["x", "y"]],
    ["the first one of two", first, () => ["x", "y"]],
    ["one that stays, where the other one changes", last, (turn) => [`n${turn}`, "x"]],
  ])("has a loop held back: %s", async (_, keeps, queries) =>
    expect(await verdictsOf(keeps, queries)).toBe(standardEnd),
  );

  it.each([
    ["keeps the one that changes", last],
    ["tells all calls, as steps of their own", all],
  ] as const)("is left alone where it %s", async (_, keeps) =>
    expect(await verdictsOf(keeps, (turn) => ["x", `n${turn}`])).not.toContain("nudge"),
  );
});
