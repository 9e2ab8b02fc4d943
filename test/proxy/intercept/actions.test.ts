import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { interceptRig, told } from "./rig.ts";

const streams = { stream: true, stream_options: { include_usage: true } };
const user = (content: string) => ({ role: "user", content });
const text = (content: string): ScriptedAnswer => ({ kind: "text", text: content });

const web = JSON.stringify({
  explanation: "opening it",
  actions: [{ action: "click", target: "#go" }],
  complete: false,
});
const browserUse = JSON.stringify({ current_state: { next_goal: "go" }, action: [{ click: { index: 5 } }] });
const react = "Thought: I need the weather.\nAction: Search\nAction Input: weather in Paris";
const carried = JSON.stringify({ current_state: { next_goal: "go" }, action: [{ click: { index: 5 } }] });
const carrier = {
  type: "function",
  function: {
    name: "AgentOutput",
    parameters: {
      type: "object",
      properties: {
        current_state: { type: "object" },
        action: {
          type: "array",
          items: { type: "object", properties: { click: { type: "object" }, done: { type: "object" } } },
        },
      },
    },
  },
};

const inWords = (content: string) => [{ role: "assistant", content }, user("The page has not changed.")];
const inCall = (id: string) => [
  { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "AgentOutput", arguments: carried } }] },
  { role: "tool", tool_call_id: id, content: "" },
  user("Action result: the page has not changed."),
];
const thrice = (turn: (i: number) => readonly object[]) => [user("Book a room in Hakone."), ...[0, 1].flatMap(turn)];

/** The same action twice without effect, and once more on the answer. */
const agents = [
  { name: "web actions in JSON", messages: thrice(() => inWords(web)), again: text(web), extra: {} },
  {
    name: "a list of actions in JSON",
    messages: thrice(() => inWords(browserUse)),
    again: text(browserUse),
    extra: {},
  },
  { name: "a ReAct text", messages: thrice(() => inWords(react)), again: text(react), extra: {} },
  {
    name: "a call that carries the actions",
    messages: thrice((i) => inCall(`call_${i}`)),
    again: { kind: "calls" as const, calls: [{ tool: "AgentOutput", args: carried }] },
    extra: { tools: [carrier] },
  },
];

const other = text("I cannot open it.");

describe("an action that repeats for the third time, in a stream, as", () => {
  it.each(agents)("$name, is kept from the agent and replaced", async ({ messages, again, extra }) => {
    const rig = interceptRig([again, other]);
    const { text: whole } = await rig.ask(messages, { ...streams, ...extra });
    expect(rig.asked.map(({ body }) => body.includes("[unloop]"))).toEqual([false, true]);
    expect(told(whole).arguments + whole).not.toMatch(/click|Search/);
    const content = "I cannot open it.";
    expect(told(whole)).toMatchObject({ content, roles: 1, finishes: ["stop"], dones: 1 });
  });

  it.each(agents)("$name, is delivered when the model has been told and does it again", async (agent) => {
    const rig = interceptRig([agent.again, agent.again]);
    const { text: whole } = await rig.ask(agent.messages, { ...streams, ...agent.extra });
    expect(rig.asked).toHaveLength(2);
    expect(told(whole).arguments + told(whole).content + whole).toMatch(/click|Search/);
    expect(told(whole)).toMatchObject({ roles: 1, dones: 1 });
  });
});
