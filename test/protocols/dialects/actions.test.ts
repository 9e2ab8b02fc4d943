import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { endToolOf } from "../../../src/protocols/protocols.ts";
import { ask, body, type Message, rewrite, user } from "../chat-completions/support.ts";

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

  it("leaves no action alone that is nested too deep to be written", () => {
    const [depth, branch] = [20_000, (name: string) => ({ properties: { is: { const: name } }, more: "DEEP" })];
    const actions = { properties: { action: { items: { anyOf: ["look", "done"].map(branch) } } } };
    const text = body([user("q")], { tools: [tool(actions)] });
    const deep = text.replaceAll('"DEEP"', `${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(rewrite(deep, [{ kind: "finish", tool: "done" }])).toBe(`${deep.slice(0, -1)},"tool_choice":"none"}`);
  });
});
