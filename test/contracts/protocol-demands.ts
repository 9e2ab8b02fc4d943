import { expect, it } from "vitest";
import { guardRig, requestsOnly, verdictsOf } from "../proxy/guard-rig.ts";
import { searchTool, wireAgent, type WireAgentOptions, type WireTurn } from "../support/agents/wire-agent.ts";
import { looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { SaidTool, Wire } from "../support/wires/wire.ts";

const tool = (name: string, description: string): SaidTool => ({
  name,
  description,
  properties: { note: { type: "string" } },
});

/** With names that ends have, too. */
const working = [
  tool("submit_order", "Place the order"),
  tool("done", "Mark the ticket as done"),
  tool("finish", "Finish the order"),
];
const ending = tool("hand_over", "Gives the final answer: it ends the run.");

/** The guard makes no call of a tool that works, whatever the client demands. */
export function demandStories(wire: Wire): void {
  const stream = true;
  async function run(count: number, more: Partial<WireAgentOptions>, script: Script = looping("nothing")) {
    const rig = await guardRig(script, { policy: requestsOnly() }, wire);
    return wireAgent(wire, { ...rig, stream, ...more }).turns(count);
  }
  const seen = (turn: WireTurn | undefined) => wire.view(turn?.received[0]?.json);
  const ownCalls = (turns: readonly WireTurn[]) =>
    turns.filter(({ received }) => received.length === 0).flatMap(({ heard }) => heard.calls.map((call) => call.tool));
  const canDemand = wire.name !== "ollama";

  it.each([
    { name: "none", demands: undefined },
    { name: "any call", demands: "any" as const },
    { name: "a call of the tool that it repeats", demands: { tool: "search" } },
  ])("a client that demands $name, and offers tools that work, is ended in words", async ({ demands }) => {
    const turns = await run(9, { tools: [searchTool, ...working], ...(demands && { demands }) });
    expect(verdictsOf(turns).slice(5)).toEqual(["force-done", "short-circuit", "short-circuit", "short-circuit"]);
    expect(seen(turns[5])).toMatchObject({ forced: "none" });
    expect(turns[6]?.heard.text).toContain("going in circles");
    expect(ownCalls(turns)).toEqual([]);
    // Who goes on behind words, and demands a call again, would go on for ever.
    const isError = demands !== undefined && canDemand;
    expect(turns.slice(6).map(({ status }) => status)).toEqual([
      200,
      ...Array(2).fill(isError ? wire.refusalStatus : 200),
    ]);
  });

  it.runIf(canDemand)("a tool that says that it ends the run is called once where a call is demanded", async () => {
    const turns = await run(9, { tools: [searchTool, ...working, ending], demands: "any" });
    expect(seen(turns[5])).toMatchObject({ forced: { tool: "hand_over" }, offered: ["hand_over"] });
    expect(turns[6]?.heard.calls.map((call) => call.tool)).toEqual(["hand_over"]);
    // It has come back with a result: it works.
    expect(turns[7]?.heard.calls ?? []).toEqual([]);
    expect(ownCalls(turns)).toEqual(["hand_over"]);
  });

  it("a tool that says so is left alone where the choice is free: a server may say anything of its tools", async () => {
    const turns = await run(7, { tools: [searchTool, ending] });
    expect(seen(turns[5])).toMatchObject({ forced: "none" });
    expect(ownCalls(turns)).toEqual([]);
    expect(turns[6]?.heard.text).toContain("going in circles");
  });
}
