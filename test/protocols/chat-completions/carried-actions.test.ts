import { describe, expect, it } from "vitest";
import { stepKey } from "../../../src/engine/engine.ts";
import type { Step } from "../../../src/step.ts";
import { called, folded, type Message, result, said, steps, user } from "./support.ts";

const thoughts = { evaluation_previous_goal: "Failed", memory: "1 of 2", next_goal: "Go" };
const output = (...action: unknown[]) => JSON.stringify({ current_state: thoughts, action });
const click = (index: number) => ({ click: { index } });
const acted = (id: string, ...action: unknown[]) => called([id, "AgentOutput", output(...action)]);

/** As browser-use 0.1 sends it, for one turn only. */
const page = (url: string, step: number) =>
  `\n[Task history memory ends]\n[Current state starts here]\nThe following is one-time information:\nCurrent url: ${url}\n[Start of page]\n[5]<a>Next/>\n[End of page]\nCurrent step: ${step}/50Current date and time: 2025-04-0${step} 10:0${step}\n`;

describe("a call that carries the agent's actions", () => {
  it.each([
    {
      name: "browser-use's, its thoughts what was said",
      args: output(click(5)),
      calls: [["click", '{"index":5}']],
      text: "Failed\n1 of 2\nGo",
    },
    {
      name: "with several actions, unused members of the union left out",
      args: '{"memory":"m","action":[{"input":{"index":1,"text":"a"},"wait":null},{"go_back":{}}]}',
      calls: [
        ["input", '{"index":1,"text":"a"}'],
        ["go_back", "{}"],
      ],
      text: "m",
    },
    {
      name: "with actions that name themselves",
      args: '{"explanation":"e","actions":[{"action":"type","target":"#q","value":"箱根"}],"complete":false}',
      calls: [["type", '{"target":"#q","value":"箱根"}']],
      text: "e",
    },
  ])("$name", ({ args, calls, text }) => {
    expect(steps(called(["a", "any", args]), result("a", "r"))).toEqual([
      {
        calls: calls.map(([tool, inner]) => ({ id: "a", tool, args: inner, outcome: { text: "r" } })),
        text,
        heard: [],
      },
    ]);
  });

  it.each([
    { name: "other arguments beside the actions", args: '{"index":"hotels","actions":[{"delete":{"id":1}}]}' },
    { name: "elements that are no actions", args: '{"actions":[{"type":"click","x":1}]}' },
    { name: "no actions", args: '{"explanation":"e","actions":[],"complete":true}' },
    { name: "an action that is no list", args: '{"action":"click","index":5}' },
    { name: "arguments cut short", args: '{"action":[{"click":{"index":5}}' },
  ])("is none with $name", ({ args }) => {
    expect(steps(called(["a", "bulk", args]))).toEqual([
      { calls: [{ id: "a", tool: "bulk", args }], text: "", heard: [] },
    ]);
  });

  it("may be one of several calls, and be made by function_call", () => {
    const mixed = called(["a", "look", "{}"], ["b", "AgentOutput", output(click(1), click(2))]);
    const [step] = steps({ ...mixed, content: "so" }, result("b", "there"), result("a", "seen"));
    expect(step?.text).toBe("so\nFailed\n1 of 2\nGo");
    expect(step?.calls.map(({ id, tool, outcome }) => [id, tool, outcome?.text])).toEqual([
      ["a", "look", "seen"],
      ["b", "click", "there"],
      ["b", "click", "there"],
    ]);
    const legacy = { role: "assistant", function_call: { name: "AgentOutput", arguments: output(click(1)) } };
    expect(steps(legacy, { role: "function", name: "AgentOutput", content: "r" })[0]?.calls).toEqual([
      { tool: "click", args: '{"index":1}', outcome: { text: "r" } },
    ]);
  });
});

describe("what came of carried actions", () => {
  const failed = (text: string) => ({ text, failed: true });
  it.each([
    {
      name: "is what the next user message says of it",
      heard: ["Action result: Clicked"],
      outcome: { text: "Action result: Clicked" },
    },
    { name: "has failed where it says so", heard: ["Action error: gone"], outcome: failed("Action error: gone") },
    {
      name: "is not the page that the same message goes on to",
      heard: [`Action result: Clicked${page("a", 3)}`],
      outcome: { text: "Action result: Clicked" },
    },
    {
      name: "has no step counter in it, but whatever a page counts",
      heard: [
        "Current url: a\nStep 1 of 3: address\nCurrent step: 4/50Current date and time: 1\n[2]<a/>\nStep 4 of 50\n",
      ],
      outcome: { text: "Current url: a\nStep 1 of 3: address\n\n[2]<a/>" },
    },
    {
      name: "has no memory in it",
      heard: [
        "<user_request>\nq\n</user_request>\n<browser_state>\na\n</browser_state>\n<agent_history>\nlong\n</agent_history>\n<step_info>Step4</step_info>",
      ],
      outcome: { text: "<browser_state>\na\n</browser_state>" },
    },
  ])("$name", ({ heard, outcome }) => {
    const [step] = steps(acted("1", click(5)), result("1", ""), ...heard.map(user));
    expect(step?.calls).toEqual([{ id: "1", tool: "click", args: '{"index":5}', outcome }]);
    expect(step?.heard).toEqual([]);
  });

  it("is the page where nothing else is told, the same as long as the page is", () => {
    const at = (url: string, step: number) => steps(acted("1", click(5)), result("1", ""), user(page(url, step)))[0];
    expect(at("a", 3)?.calls[0]?.outcome?.text).toContain("Current url: a");
    expect(at("a", 4)).toEqual(at("a", 3));
    expect(at("b", 3)).not.toEqual(at("a", 3));
  });

  it("is each action's own where as many reports came", () => {
    const [step] = steps(
      acted("1", click(1), click(2)),
      result("1", ""),
      user("Action result: one"),
      user("Action error: two"),
    );
    expect(step?.calls.map(({ outcome }) => outcome)).toEqual([
      { text: "Action result: one" },
      failed("Action error: two"),
    ]);
  });

  it("is what the tool message says, a user's own words beside it", () => {
    const [first, second] = steps(
      acted("1", click(0)),
      result("1", "Browser started"),
      user("[Your task history memory starts here]"),
      acted("2", click(5)),
      result("2", ""),
      user("Take the other one"),
    );
    expect(first).toMatchObject({
      calls: [{ outcome: { text: "Browser started" } }],
      heard: ["[Your task history memory starts here]"],
    });
    expect(second).toMatchObject({ calls: [{ outcome: { text: "" } }], heard: ["Take the other one"] });
  });
});

describe("a step is the same in the answer and in the next request's history", () => {
  const sign = (text: string) => text;
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const messages: readonly (readonly [name: string, message: Message])[] = [
    ["carried actions", acted("call_1", click(5), { done: { text: "t", success: true } })],
    [
      "carried actions beside words and another call",
      { ...called(["a", "x"], ["b", "AgentOutput", output(click(1))]), content: "so" },
    ],
    ["web actions in a call", called(["c", "act", '{"explanation":"e","actions":[{"action":"click","target":"a"}]}'])],
    ["actions as text", said(output(click(5)))],
    ["ordinary calls", called(["a", "x", '{"action":1}'])],
  ];

  function ofAnswer(message: Message, stream: boolean): Step | undefined {
    if (!stream) {
      return folded("application/json", [encode({ choices: [{ index: 0, message, finish_reason: "stop" }] })])?.step;
    }
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const delta = { ...message, tool_calls: calls.map((call: object, index: number) => ({ index, ...call })) };
    const chunk = { choices: [{ index: 0, delta, finish_reason: "stop" }] };
    return folded("text/event-stream", [new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)])
      ?.step;
  }

  it.each(messages)("%s", (_, message) => {
    const [told] = steps(message, user("Action result: x"));
    for (const stream of [false, true]) {
      const answered = ofAnswer(message, stream);
      if (told === undefined || answered === undefined) throw new Error("no step");
      expect(stepKey(answered, sign)).toBe(stepKey(told, sign));
      expect(answered).toEqual({ ...told, calls: told.calls.map(({ outcome: _gone, ...call }) => call), heard: [] });
    }
  });
});
