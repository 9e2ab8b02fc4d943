import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { endToolOf } from "../../../src/protocols/protocols.ts";
import { ask, body, called, folded, type Message, result, said, user, rewrite } from "./support.ts";

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

/** The schemas that pydantic writes for browser-use's output, of old and new versions, and as new ones send it. */
const schemas = ["optional-members", "union", "flattened"].map((name) => ({ name, schema: schemaNamed(name) }));

function outputOf(schema: Message, ...action: readonly unknown[]): Message {
  const thoughts = { evaluation_previous_goal: "", memory: "", next_goal: "" };
  const isOld = JSON.stringify(schema).includes("current_state");
  return isOld
    ? { current_state: thoughts, action }
    : { thinking: null, ...thoughts, current_plan_item: null, plan_update: null, action };
}

function argumentsIn(reply: { readonly contentType: string; readonly body: string }): unknown {
  const answer = folded(reply.contentType, [new TextEncoder().encode(reply.body)]);
  if (reply.contentType.includes("json"))
    return JSON.parse(JSON.parse(reply.body).choices[0].message.tool_calls[0].function.arguments);
  const pieces = reply.body.split("\n\n").flatMap((event) => event.match(/^data: (\{.*)$/)?.[1] ?? []);
  const args = pieces.map((piece) => JSON.parse(piece).choices[0]?.delta.tool_calls?.[0].function.arguments ?? "");
  expect(answer?.finishReason).toBe("tool_calls");
  return JSON.parse(args.join(""));
}

describe.each(schemas)("where the last action is one of many that an output carries ($name)", ({ schema }) => {
  const isOffered = { tools: [tool({}, "look"), tool(schema)], tool_choice: "required" };

  it("is on offer, and others are not", () => {
    for (const more of [isOffered, format(schema)]) {
      const endOf = (name: string) => endToolOf(ask([user("q")], more), [name], true);
      expect([endOf("done"), endOf("finish")]).toEqual(["done", undefined]);
    }
  });

  it("a finish offers the tool alone, with no other action", () => {
    const changed = JSON.parse(rewrite(body([user("q")], isOffered), [{ kind: "finish", tool: "done" }]));
    expect(changed.tool_choice).toEqual({ type: "function", function: { name: "AgentOutput" } });
    expect(changed.tools).toHaveLength(1);
    const accepts = ajv.compile(changed.tools[0].function.parameters);
    expect([accepts(outputOf(schema, over)), accepts(outputOf(schema, further))]).toEqual([true, false]);
    expect(ajv.validate(schema, outputOf(schema, further))).toBe(true);
  });

  it("a finish leaves the demanded format no other action, and forbids tools", () => {
    const more = { ...format(schema), tools: [tool({}, "look")] };
    const changed = JSON.parse(rewrite(body([user("q")], more), [{ kind: "finish", tool: "done" }]));
    expect(changed).toMatchObject({ tools: more.tools, tool_choice: "none" });
    const accepts = ajv.compile(changed.response_format.json_schema.schema);
    expect([accepts(outputOf(schema, over)), accepts(outputOf(schema, further))]).toEqual([true, false]);
  });

  it.each([{ stream: false }, { stream: true }])("our own answer takes it: %j", (more) => {
    const reply = chatCompletions.reply(ask([user("q")], { ...isOffered, ...more }), { text, doneTool: "done" }, stamp);
    const args = argumentsIn(reply);
    expect(args).toMatchObject({ action: [{ done: { text, success: false } }] });
    expect(ajv.validate(schema, args)).toBe(true);
    const [call] = folded(reply.contentType, [new TextEncoder().encode(reply.body)])?.step.calls ?? [];
    expect(call).toMatchObject({ id: "call_abc123", tool: "done" });
  });

  it("our own answer takes it where the answer is JSON", () => {
    const reply = chatCompletions.reply(ask([user("q")], format(schema)), { text, doneTool: "done" }, stamp);
    const content = JSON.parse(JSON.parse(reply.body).choices[0].message.content);
    expect(content).toMatchObject({ action: [{ done: { text, success: false } }] });
    expect(ajv.validate(schema, content)).toBe(true);
  });
});

describe("a finish by an action", () => {
  const union = schemaNamed("union");
  const finished = (more: Message, done?: string) =>
    JSON.parse(rewrite(body([user("q")], more), [{ kind: "finish", tool: done }]));

  it.each([
    { name: "an action of another name", parameters: union, done: "finish" },
    { name: "no name at all", parameters: union, done: undefined },
    {
      name: "a reference that leads nowhere",
      parameters: { properties: { action: { items: { $ref: "#/$defs/A" } } } },
      done: "done",
    },
    {
      name: "a reference that leads to itself",
      parameters: { $defs: { A: { $ref: "#/$defs/A" } }, properties: { action: { items: { $ref: "#/$defs/A" } } } },
      done: "done",
    },
  ])("forbids tools with $name", ({ parameters, done }) => {
    const more = { tools: [tool(parameters)] };
    expect(finished(more, done)).toMatchObject({ ...more, tool_choice: "none" });
  });

  it("chooses the tool as it is where the list is described elsewhere", () => {
    const list = { type: "array", items: { type: "object", properties: { done: { type: "object" } } } };
    const parameters = { $defs: { list }, type: "object", properties: { action: { $ref: "#/$defs/list" } } };
    expect(finished({ tools: [tool(parameters)] }, "done")).toMatchObject({
      tools: [tool(parameters)],
      tool_choice: { function: { name: "AgentOutput" } },
    });
  });
});

describe("a web agent is told that it is over in its own shape", () => {
  const action = {
    type: "object",
    properties: {
      action: { type: "string", enum: ["click", "type"] },
      target: { type: "string" },
      value: { type: "string" },
    },
    required: ["action", "target"],
  };
  const parameters = {
    type: "object",
    properties: {
      explanation: { type: "string" },
      actions: { type: "array", items: action },
      complete: { type: "boolean" },
    },
    required: ["explanation", "actions", "complete"],
  };
  const typed = { explanation: "typing", actions: [{ action: "type", target: "#q", value: "箱根" }], complete: false };
  const expected = { explanation: text, actions: [], complete: true };

  it.each([{ stream: false }, { stream: true }])("by a call of its tool, or in text like its own: %j", (more) => {
    const history = [user("q"), called(["a", "web_actions", JSON.stringify(typed)]), result("a", "ok")];
    const asked = ask(history, { ...more, tools: [tool({}, "look"), tool(parameters, "web_actions")] });
    expect(argumentsIn(chatCompletions.reply(asked, { text, doneTool: undefined }, stamp))).toEqual(expected);
    const told = ask([user("q"), said(JSON.stringify(typed)), user("page")], more);
    const { contentType, body: sent } = chatCompletions.reply(told, { text, doneTool: undefined }, stamp);
    expect(JSON.parse(contentIn(contentType, sent))).toEqual(expected);
  });

  it.each([
    ["that needs an action", { ...parameters.properties, actions: { ...parameters.properties.actions, minItems: 1 } }],
    [
      "whose list and flag are for something else",
      { actions: parameters.properties.actions, table: { type: "string" } },
    ],
  ])("but not by a tool %s", (_, properties) => {
    const asked = ask([user("q")], { tools: [tool({ ...parameters, properties }, "web_actions")] });
    const { contentType, body: sent } = chatCompletions.reply(asked, { text, doneTool: undefined }, stamp);
    expect(contentIn(contentType, sent)).toBe(text);
  });
});

function contentIn(contentType: string, sent: string): string {
  if (contentType.includes("json")) return JSON.parse(sent).choices[0].message.content;
  const events = sent.split("\n\n").flatMap((event) => event.match(/^data: (\{.*)$/)?.[1] ?? []);
  return events.map((event) => JSON.parse(event).choices[0]?.delta.content ?? "").join("");
}
