import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/index.ts";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { finalText, looping } from "../../support/agents/scripts.ts";
import type { Script } from "../../support/servers/upstream.ts";
import { agent, type AgentOptions, doneTool, searchTool, type Turn, verdictsOf } from "../agent.ts";
import { guardRig, standard } from "../guard-rig.ts";

const streamed = { stream: true, stream_options: { include_usage: true } };
const ways = [
  { kind: "JSON", extra: {} },
  { kind: "an event stream", extra: streamed },
];

const sendTool = {
  type: "function",
  function: { name: "send_message", parameters: { type: "object", properties: { text: { type: "string" } } } },
};

/** The same message for ever. */
const sends: Script = () => sending;
const sending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ text: "The database is healthy." }) }],
};

/** A run, and how often the tool was carried out. */
async function run(script: Script, count: number, more: Partial<AgentOptions> & { policy?: Policy } = {}) {
  const { policy = standard(), ...options } = more;
  const rig = await guardRig(script, { policy });
  let done = 0;
  const result = () => {
    done += 1;
    return `Sent, as number ${done}.`;
  };
  const turns = await agent({ ...rig, tools: [sendTool], result, ...options }).turns(count);
  return { turns, rig, done };
}

const tellsToldOf = (turn: Turn | undefined) => turn?.received.map(({ bytes }) => /\[unloop\]/.test(String(bytes)));

describe.each(ways)("a message that is sent over and over, answered with $kind", ({ extra }) => {
  it("goes out twice though the model heeds nothing, and the third is the guard's own answer", async () => {
    const { turns, done, rig } = await run(sends, 4, { extra });
    expect(done).toBe(2);
    expect(verdictsOf(turns)).toEqual(["ok", "nudge", "short-circuit", "short-circuit"]);
    expect(turns.map(({ received }) => received.length)).toEqual([1, 2, 2, 0]);
    expect(turns[2]?.message.tool_calls).toBeUndefined();
    expect(turns[2]?.message.content).toContain("going in circles");
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it("is told to the model in the second request alone, at the end of the last result", async () => {
    const { turns } = await run(sends, 2, { extra });
    expect(tellsToldOf(turns[0])).toEqual([false]);
    expect(tellsToldOf(turns[1])).toEqual([false, true]);
    expect(String(turns[1]?.received[0]?.bytes)).toBe(turns[1]?.sent);
  });

  it("goes out once if the model takes the hint", async () => {
    const script: Script = (request, index) =>
      /\[unloop\]/.test(String(request.bytes)) ? { kind: "text", text: finalText } : sends(request, index);
    const { turns, done } = await run(script, 2, { extra });
    expect(done).toBe(1);
    expect(turns[1]?.message).toMatchObject({ role: "assistant", content: finalText });
    expect(turns[1]?.text).not.toContain('tool_calls":[{');
  });
});

describe.each(ways)("a run that is made to finish on an answer, with $kind", ({ extra }) => {
  it("gets the done call in place of the repeated one, and no other tool is offered for that", async () => {
    const rig = await guardRig(looping("force-done"), { policy: standard() });
    const turns = await agent({ ...rig, extra, tools: [searchTool, doneTool] }).turns(5);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "nudge", "ok", "force-done"]);
    expect(turns[4]?.message.tool_calls?.map((call) => call.function.name)).toEqual(["done"]);
    const second = JSON.parse(String(turns[4]?.received[1]?.bytes));
    expect(second.tools).toEqual([doneTool]);
    expect(second.tool_choice).toEqual({ type: "function", function: { name: "done" } });
  });
});
