import { describe, expect, it } from "vitest";
import { type ParsedRequest, chatCompletions } from "../../../src/protocols/protocols.ts";
import { folded } from "./support.ts";
import { fillSchema } from "../../../src/protocols/schema-fill/schema-fill.ts";

const call = { tool: "click", args: '{"index":5}' };
const stamp = { id: "x1", created: 1_700_000_000 };
const tool = { type: "function", function: { name: "click", parameters: { type: "object" } } };

function asked(request: object): ParsedRequest {
  const messages = [{ role: "user", content: "Go." }];
  const ask = chatCompletions.parse(JSON.stringify({ model: "m", messages, ...request }));
  if (ask === undefined) throw new Error("This is a request.");
  return ask;
}

/** What a client would read. */
function answered(ask: ParsedRequest) {
  const reply = chatCompletions.reply(ask, { text: "The end.", doneTool: undefined, call }, stamp);
  return folded(reply.contentType, [new TextEncoder().encode(reply.body)]);
}

describe("an answer that is a given call", () => {
  it.each([
    { name: "as JSON", request: { tools: [tool] } },
    { name: "streamed", request: { tools: [tool], stream: true } },
  ])("is that call, and the run goes on: $name", ({ request }) => {
    expect(answered(asked(request))).toMatchObject({
      step: { calls: [{ id: "call_x1", ...call }], text: "" },
      finishReason: "tool_calls",
    });
  });

  it("is made the way the tool is called", () => {
    const legacy = answered(asked({ functions: [{ name: "click", parameters: {} }] }));
    expect(legacy).toMatchObject({ step: { calls: [call] }, finishReason: "function_call" });
    const custom = answered(asked({ tools: [{ type: "custom", custom: { name: "click" } }] }));
    expect(custom).toMatchObject({ step: { calls: [{ tool: "click", args: '{"index":5}' }] } });
  });

  it("is the final answer where the tool is not offered", () => {
    expect(answered(asked({ tools: [] }))).toMatchObject({
      step: { calls: [], text: "The end." },
      finishReason: "stop",
    });
  });
});

describe("a final answer of a run that has reached its goal", () => {
  const object = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) });
  it.each([
    { field: { success: { type: "boolean" } }, value: { success: true } },
    { field: { failed: { type: "boolean" } }, value: { failed: false } },
    { field: { unsuccessful: { type: "boolean" } }, value: { unsuccessful: false } },
    { field: { done: { type: "boolean" } }, value: { done: true } },
    { field: { status: { enum: ["failed", "incomplete", "success"] } }, value: { status: "success" } },
    { field: { status: { enum: ["running", "aborted", "completed"] } }, value: { status: "completed" } },
  ])("says so in $field", ({ field, value }) => {
    expect(fillSchema(object({ text: { type: "string" }, ...field }), "Done.", "well")).toEqual({
      text: "Done.",
      ...value,
    });
  });
});
