import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { looping } from "../../support/agents/scripts.ts";
import type { Script } from "../../support/servers/upstream.ts";
import { agent, doneTool, searchTool, verdictsOf } from "../agent.ts";
import { guardRig, standard } from "../guard-rig.ts";

const extra = { stream: true, stream_options: { include_usage: true } };
const sendTool = {
  type: "function",
  function: { name: "send_message", parameters: { type: "object", properties: { text: { type: "string" } } } },
};

const resting: ScriptedAnswer = { kind: "text", text: "They know." };
const sending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ text: "The database is healthy." }) }],
};

it("a message that is sent over and over goes out twice though the model heeds nothing, and once if it takes the hint", async () => {
  for (const heeds of [false, true]) {
    const script: Script = ({ bytes }) => (heeds && String(bytes).includes("[unloop]") ? resting : sending);
    const rig = await guardRig(script, { policy: standard() });
    let sent = 0;
    const result = () => `Sent, as number ${++sent}.`;
    const turns = await agent({ ...rig, extra, tools: [sendTool], result }).turns(heeds ? 2 : 4);
    expect(sent).toBe(heeds ? 1 : 2);
    expect(verdictsOf(turns)).toEqual(["ok", "nudge", "short-circuit", "short-circuit"].slice(0, turns.length));
    // Nothing new was heard behind the end: the model is not asked.
    expect(turns.map(({ received }) => received.length)).toEqual([1, 2, 2, 0].slice(0, turns.length));
    expect(String(turns[1]?.received[0]?.bytes)).toBe(turns[1]?.sent);
  }
});

describe("a run that is made to finish on an answer", () => {
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
