import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { endToolOf } from "../../../src/protocols/protocols.ts";
import { ask, body, called, type Message, result, rewrite, said, steps, user } from "../chat-completions/support.ts";

const thoughts = { evaluation_previous_goal: "Failed", memory: "1 of 2", next_goal: "Go" };
const output = (...action: unknown[]) => JSON.stringify({ current_state: thoughts, action });
const click = (index: number) => ({ click: { index } });
const acted = (id: string, ...action: unknown[]) => called([id, "AgentOutput", output(...action)]);
const failed = (text: string) => ({ text, failed: true });

/** As browser-use 0.1 sends it, for one turn only. */
const page = (url: string, step: number) =>
  `\n[Task history memory ends]\n[Current state starts here]\nThe following is one-time information:\nCurrent url: ${url}\n[Start of page]\n[5]<a>Next/>\n[End of page]\nCurrent step: ${step}/50Current date and time: 2025-04-0${step} 10:0${step}\n`;

describe("a call that carries the agent's actions", () => {
  it.each<[name: string, args: string, calls: readonly (readonly [string, string])[], text: string]>([
    ["browser-use's, its thoughts what was said", output(click(5)), [["click", '{"index":5}']], "Failed\n1 of 2\nGo"],
    [
      "of newer versions, unused members of the union left out",
      '{"thinking":null,"memory":"m","plan_update":["a"],"action":[{"input":{"index":1},"wait":null},{"go_back":{}}]}',
      [
        ["input", '{"index":1}'],
        ["go_back", "{}"],
      ],
      "m",
    ],
    [
      "with actions that name themselves",
      '{"explanation":"e","actions":[{"action":"type","target":"#q","value":"箱根"}],"complete":false}',
      [["type", '{"target":"#q","value":"箱根"}']],
      "e",
    ],
  ])("%s", (_, args, calls, text) => {
    const told = calls.map(([tool, inner]) => ({ id: "a", tool, args: inner, outcome: { text: "r" } }));
    expect(steps(called(["a", "any", args]), result("a", "r"))).toEqual([{ calls: told, text, heard: [] }]);
  });

  it.each<[name: string, args: string]>([
    ["other arguments beside the actions", '{"index":"hotels","actions":[{"delete":{"id":1}}]}'],
    ["elements that are no actions", '{"actions":[{"type":"click","x":1}]}'],
    ["no actions", '{"explanation":"e","actions":[],"complete":true}'],
    ["an action that is no list", '{"action":"click","index":5}'],
    ["arguments cut short", '{"action":[{"click":{"index":5}}'],
  ])("is none with %s", (_, args) => {
    expect(steps(called(["a", "bulk", args]))[0]?.calls).toEqual([{ id: "a", tool: "bulk", args }]);
  });

  it("may be one of several calls, and be made by function_call", () => {
    const mixed = called(["a", "look", "{}"], ["b", "AgentOutput", output(click(1), click(2))]);
    const [step] = steps({ ...mixed, content: "so" }, result("b", "there"), result("a", "seen"));
    expect(step?.text).toBe("so\nFailed\n1 of 2\nGo");
    const told = step?.calls.map(({ id, tool, outcome }) => [id, tool, outcome?.text]);
    expect(told).toEqual([["a", "look", "seen"], ...Array(2).fill(["b", "click", "there"])]);
    const legacy = { role: "assistant", function_call: { name: "AgentOutput", arguments: output(click(1)) } };
    expect(steps(legacy, { role: "function", name: "AgentOutput", content: "r" })[0]?.calls).toEqual([
      { tool: "click", args: '{"index":1}', outcome: { text: "r" } },
    ]);
  });
});

describe("what came of carried actions", () => {
  const state =
    "<user_request>\nq\n</user_request>\n<browser_state>\na\n</browser_state>\n<agent_history>\nlong\n</agent_history>\n<step_info>Step4</step_info>";
  it.each<[name: string, heard: readonly string[], outcome: object]>([
    ["is what the next message says of it", ["Action result: Clicked"], { text: "Action result: Clicked" }],
    ["nor one that it goes on to", [`Action result: Clicked${page("a", 3)}`], { text: "Action result: Clicked" }],
    ["is a page that stays", ["Current url: https://a/2\n[1]<a/>"], { text: "Current url: https://a/2\n[1]<a/>" }],
    [
      "has no step counter in it, but whatever a page counts",
      ["Current url: a\nStep 1 of 3: address\nCurrent step: 4/50Current date and time: 1\n[2]<a/>\nStep 4 of 50\n"],
      { text: "Current url: a\nStep 1 of 3: address\n\n[2]<a/>" },
    ],
    ["has no memory in it", [state], { text: "<browser_state>\na\n</browser_state>" }],
    ["has failed where the page ends in an error", [`${page("a", 3)}\nAction error 1/1: ...gone`], { failed: true }],
  ])("%s", (_, heard, outcome) => {
    const [step] = steps(acted("1", click(5)), result("1", ""), ...heard.map(user));
    expect(step?.calls).toMatchObject([{ id: "1", tool: "click", args: '{"index":5}', outcome }]);
    expect(step?.heard).toEqual([]);
  });

  it("is the page where nothing else is told, the same as long as the page is, and stands beside what lasts", () => {
    const at = (url: string, step: number) => steps(acted("1", click(5)), result("1", ""), user(page(url, step)))[0];
    expect(at("a", 4)).toEqual(at("a", 3));
    expect(at("b", 3)).not.toEqual(at("a", 3));
    const turn = [acted("1", click(5)), result("1", ""), user("Action result: Clicked")];
    const [later] = steps(...turn, acted("2", click(6)));
    const [newest] = steps(...turn, user(page("a", 3)));
    expect(later?.calls[0]?.outcome).toEqual({ text: "Action result: Clicked" });
    expect(newest?.calls[0]?.outcome).toMatchObject({
      text: "Action result: Clicked",
      state: expect.stringContaining("Current url: a"),
    });
    expect(steps(...turn, user(page("a", 4)))[0]).toEqual(newest);
  });

  it("is each action's own where as many reports came, else all of it for each", () => {
    const [one, other] = [user("Action result: one"), user("Action error: two")];
    const outcomes = (count: number) =>
      steps(acted("1", ...Array(count).fill(click(1))), result("1", ""), one, other)[0]?.calls.map(
        (call) => call.outcome,
      );
    expect(outcomes(2)).toEqual([{ text: "Action result: one" }, failed("Action error: two")]);
    expect(outcomes(3)).toEqual(Array(3).fill(failed("Action result: one\nAction error: two")));
  });

  it("leaves a user's own words heard, and is none of a call that carries nothing", () => {
    const [first] = steps(acted("1", click(0)), result("1", "Browser started"), user("Take the other one"));
    expect(first).toMatchObject({ calls: [{ outcome: { text: "Browser started" } }], heard: ["Take the other one"] });
    const [plain] = steps(called(["1", "look"]), result("1", "r"), user("Action result: x"));
    expect(plain).toMatchObject({ calls: [{ outcome: { text: "r" } }], heard: ["Action result: x"] });
  });
});

const text = 'Stopped: "箱根"\nwas typed twice.';
const stamp = { id: "abc123", created: 1_700_000_000 };
const ajv = new Ajv({ strict: false, logger: false });
const schemaNamed = (name: string): Message =>
  JSON.parse(readFileSync(new URL(`../../fixtures/browser-use/${name}.json`, import.meta.url), "utf8"));
const tool = (parameters: unknown, name = "AgentOutput") => ({ type: "function", function: { name, parameters } });
const format = (schema: unknown) => ({
  response_format: { type: "json_schema", json_schema: { name: "agent_output", strict: true, schema } },
});
const over = { done: { text: "t", success: true, files_to_display: [] } };
const further = { click_element: { index: 5, xpath: null } };
const finished = (more: Message, done?: string) =>
  JSON.parse(rewrite(body([user("q")], more), [{ kind: "finish", tool: done }]));

function outputOf(schema: Message, ...action: readonly unknown[]): Message {
  const said = { evaluation_previous_goal: "", memory: "", next_goal: "" };
  const isOld = JSON.stringify(schema).includes("current_state");
  return isOld
    ? { current_state: said, action }
    : { thinking: null, ...said, current_plan_item: null, plan_update: null, action };
}

/** The schemas that pydantic writes for browser-use's output, of old and new versions, and as new ones send it. */
describe.each(["optional-members", "union", "flattened"])(
  "the last action of many that an output carries (%s)",
  (name) => {
    const schema = schemaNamed(name);
    const isOffered = { tools: [tool({}, "look"), tool(schema)], tool_choice: "required" };
    const narrowed = (now: Message) => {
      const accepts = ajv.compile(now);
      expect([accepts(outputOf(schema, over)), accepts(outputOf(schema, further))]).toEqual([true, false]);
      expect(ajv.validate(schema, outputOf(schema, further))).toBe(true);
    };

    it("is on offer, and others are not", () => {
      for (const more of [isOffered, format(schema)]) {
        const endOf = (one: string) => endToolOf(ask([user("q")], more), [one], true);
        expect([endOf("done"), endOf("finish")]).toEqual(["done", undefined]);
      }
    });

    it("is all that a finish leaves of its tool, or of the demanded format without tools; every other byte stays", () => {
      const { tools, tool_choice } = finished(isOffered, "done");
      expect(tool_choice).toEqual({ type: "function", function: { name: "AgentOutput" } });
      expect(tools).toHaveLength(1);
      narrowed(tools[0].function.parameters);
      const more = { ...format(schema), tools: [tool({}, "look")] };
      const changed = finished(more, "done");
      expect(changed).toMatchObject({ tools: more.tools, tool_choice: "none" });
      narrowed(changed.response_format.json_schema.schema);
      const { properties } = schema as { readonly properties: { readonly action: Message } };
      const items = `"items":${JSON.stringify(properties.action.items)}`;
      const whole = body([user("q")], format(schema));
      const [before, after] = whole.split(`${items},"min_items"`);
      const edited = rewrite(whole, [{ kind: "finish", tool: "done" }]);
      expect([edited.startsWith(`${before}"items":`), edited.endsWith(`,"min_items"${after}`)]).toEqual([true, true]);
    });

    it("is taken by our own answer, as a call and as JSON", () => {
      const made = (more: Message) =>
        JSON.parse(chatCompletions.reply(ask([user("q")], more), { text, doneTool: "done" }, stamp).body).choices[0]
          .message;
      for (const json of [made(isOffered).tool_calls?.[0].function.arguments, made(format(schema)).content]) {
        expect(JSON.parse(json)).toMatchObject({ action: [{ done: { text, success: false } }] });
        expect(ajv.validate(schema, JSON.parse(json))).toBe(true);
      }
    });
  },
);

describe("a finish by an action", () => {
  const union = schemaNamed("union");
  const lost = { properties: { action: { items: { $ref: "#/$defs/A" } } } };

  it("gives way to a tool of that name, and knows legacy functions", () => {
    expect(finished({ tools: [tool(union), tool({}, "done")] }, "done").tools).toEqual([tool({}, "done")]);
    const { functions, function_call } = finished({ functions: [{ name: "AgentOutput", parameters: union }] }, "done");
    expect(function_call).toEqual({ name: "AgentOutput" });
    expect(ajv.validate(functions[0].parameters, { action: [further] })).toBe(false);
  });

  it.each<[name: string, parameters: object, done: string | undefined]>([
    ["an action of another name", union, "finish"],
    ["no name at all", union, undefined],
    ["a reference that leads nowhere", lost, "done"],
    ["a reference that leads to itself", { $defs: { A: { $ref: "#/$defs/A" } }, ...lost }, "done"],
  ])("forbids tools with %s", (_, parameters, done) => {
    const more = { tools: [tool(parameters)] };
    expect(finished(more, done)).toMatchObject({ ...more, tool_choice: "none" });
  });
});

describe("a web agent is told that it is over in its own shape", () => {
  const actions = { type: "array", items: { type: "object", properties: { action: { type: "string" } } } };
  const parameters = {
    type: "object",
    properties: { explanation: { type: "string" }, actions, complete: { type: "boolean" } },
    required: ["explanation", "actions", "complete"],
  };
  const tools = [tool({}, "look"), tool(parameters, "web_actions")];
  const typed = JSON.stringify({ explanation: "e", actions: [{ action: "type", target: "#q" }], complete: false });
  const expected = { explanation: text, actions: [], complete: true };
  const reply = (messages: readonly Message[], more: Message = {}) =>
    JSON.parse(chatCompletions.reply(ask(messages, more), { text, doneTool: undefined }, stamp).body).choices[0]
      .message;

  it("by a call of its tool, which a finish chooses, or in text like its own", () => {
    const history = [user("q"), called(["a", "web_actions", typed]), result("a", "ok")];
    expect(JSON.parse(reply(history, { tools }).tool_calls[0].function.arguments)).toEqual(expected);
    expect(JSON.parse(reply([user("q"), said(typed), user("page")]).content)).toEqual(expected);
    const chosen = { tools: [tools[1]], tool_choice: { type: "function", function: { name: "web_actions" } } };
    expect(finished({ tools })).toMatchObject(chosen);
  });

  it("but not by a tool that needs an action, or whose list and flag are for something else", () => {
    const least = { ...parameters, properties: { ...parameters.properties, actions: { ...actions, minItems: 1 } } };
    const other = {
      type: "object",
      properties: { actions, stop_on_error: { type: "boolean" }, table: { type: "string" } },
    };
    for (const one of [least, other]) expect(reply([user("q")], { tools: [tool(one, "bulk")] }).content).toBe(text);
  });
});
