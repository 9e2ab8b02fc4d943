import { expect, it } from "vitest";
import { verdictsOf, climb, guardRig, requestsOnly } from "../proxy/guard-rig.ts";
import { finalText, healthy, looping } from "../support/agents/scripts.ts";
import { doneTool, searchTool, wireAgent, type WireAgentOptions, type WireTurn } from "../support/agents/wire-agent.ts";
import type { SaidTool, Wire } from "../support/wires/wire.ts";

const tools: readonly SaidTool[] = [searchTool, doneTool];

export const received = (turn: WireTurn | undefined) => String(turn?.received[0]?.bytes ?? "");
const answers = (turns: readonly WireTurn[]) => turns.map((turn) => String(turn.received[0]?.answer));

/** All rows in one format, the first one in each other. */
export function rowsFor<Row>({ name }: Wire, rows: readonly Row[]): readonly Row[] {
  return name === "chat-completions" ? rows : rows.slice(0, 1);
}

function insertedIn(before: string, after: string): { readonly added: string; readonly around: string } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const end = start + after.length - before.length;
  return { added: after.slice(start, end), around: after.slice(0, start) + after.slice(end) };
}

const seenBy = (wire: Wire) => (turn: WireTurn | undefined) => wire.view(JSON.parse(received(turn)));

export function requestStories(wire: Wire): void {
  const seen = seenBy(wire);

  it("a nudge stands at the end of the last outcome, all else is as it was sent, and it stays in its place", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, wire);
    const turns = await wireAgent(wire, { ...rig, stream: true }).turns(5);
    const { added, around } = insertedIn(turns[3]?.sent ?? "", received(turns[3]));
    expect(added).toMatch(/\[unloop\].*3 times/);
    expect(around).toBe(turns[3]?.sent);
    const [before, after] = [seen(turns[3]).texts, seen(turns[4]).texts];
    expect(before.at(-1)).toContain("[unloop]");
    expect(after.slice(0, before.length)).toEqual(before);
    expect(turns[4]?.headers.get("x-unloop-sticky")).toBe("1");
  });

  it("a request that is sent again is treated the same, byte for byte, and does not count", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, wire);
    const agent = wireAgent(wire, { ...rig, stream: true });
    const verdicts: (string | null)[] = [];
    for (let i = 0; i < 7; i += 1) {
      await agent.again();
      const turn = await agent.turn();
      const asked = rig.upstream.requests.slice(-2).map(({ bytes }) => String(bytes));
      if (turn.received.length > 0) expect(new Set(asked).size).toBe(1);
      verdicts.push(...verdictsOf([turn]));
    }
    expect(verdicts).toEqual(climb);
  });
}

export function finishStories(wire: Wire, stream: boolean): void {
  const seen = seenBy(wire);
  async function run(turns: number, script = looping("nothing"), more: Partial<WireAgentOptions> = {}) {
    const rig = await guardRig(script, { policy: requestsOnly() }, wire);
    const agent = wireAgent(wire, { ...rig, stream, ...more });
    return { rig, agent, turns: await agent.turns(turns) };
  }

  it("a healthy run passes byte for byte, both ways", async () => {
    const { turns } = await run(7, healthy(6));
    expect(turns.map(received)).toEqual(turns.map(({ sent }) => sent));
    expect(turns.map(({ text }) => text)).toEqual(answers(turns));
    expect(new Set(verdictsOf(turns))).toEqual(new Set(["ok"]));
    expect(turns.at(-1)?.heard.text).toBe(finalText);
  });

  it("a looping run may at last call nothing, is ended in words without its model, and lifted by a person's message", async () => {
    const { turns, agent, rig } = await run(7);
    expect(verdictsOf(turns)).toEqual(climb);
    expect(seen(turns[5])).toMatchObject({ forced: "none" });
    expect(seen(turns[5]).texts.at(-1)).toContain("final answer");
    expect(turns[6]).toMatchObject({ status: 200, heard: { calls: [] } });
    expect(turns[6]?.heard.text).toContain("going in circles");
    expect(rig.upstream.requests).toHaveLength(6);
    agent.said.push({ who: "user", text: "Never mind Paris. Try Rome." });
    const lifted = await agent.turn();
    expect(verdictsOf([lifted])).toEqual(["ok"]);
    expect(seen(lifted)).toMatchObject({ forced: undefined, offered: ["search"] });
  });

  it("forced to finish, a model with a done tool may call nothing else, and its client gets that call", async () => {
    const { turns } = await run(6, looping("force-done"), { tools });
    expect(seen(turns[5])).toMatchObject({ forced: { tool: "done" }, offered: ["done"] });
    expect(turns[5]?.heard.calls.map(({ tool }) => tool)).toEqual(["done"]);
  });

  it("a run with a done tool is ended with a valid call of it, and ended again where its client goes on", async () => {
    const { turns, rig } = await run(9, looping("nothing"), { tools });
    const [call, ...others] = turns[6]?.heard.calls ?? [];
    expect([call?.tool, others]).toEqual(["done", []]);
    expect(JSON.parse(call?.args ?? "")).toEqual({ success: false, text: expect.stringContaining("going in circles") });
    expect(verdictsOf(turns).slice(6)).toEqual(Array(3).fill("short-circuit"));
    expect(rig.upstream.requests).toHaveLength(6);
  });

  it("a run may be ended with an error that no client sends again", async () => {
    const rig = await guardRig(looping("nothing"), { policy: { ...requestsOnly(), finalResponse: "error" } }, wire);
    const turns = await wireAgent(wire, { ...rig, stream }).turns(7);
    expect(turns[6]?.status).toBe(wire.refusalStatus);
    expect(turns[6]?.headers.get("x-should-retry")).toBe("false");
    expect(turns[6]?.heard.error).toMatchObject({ type: "invalid_request_error", message: expect.any(String) });
  });
}
