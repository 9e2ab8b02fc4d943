import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { chatCompletions, type Reply } from "../../../src/protocols/protocols.ts";
import { ask, folded, type Message, user } from "./support.ts";

const text = 'Stopped: "箱根" 😀\nwas typed twice.';
const stamp = { id: "abc123", created: 1_700_000_000 };
const done = (parameters?: object) => ({ type: "function", function: { name: "done", parameters } });
const strict = {
  type: "object",
  properties: { success: { type: "boolean" }, text: { type: "string" }, files: { type: "array" } },
  required: ["text", "success", "files"],
  additionalProperties: false,
};
const answer = {
  type: "object",
  properties: { answer: { type: "string" }, complete: { type: "boolean" } },
  required: ["answer", "complete"],
};

function replyTo(more: Message, doneTool?: string, call?: { readonly tool: string; readonly args: string }): Reply {
  return chatCompletions.reply(ask([user("q")], more), { text, doneTool, ...(call && { call }) }, stamp);
}

const read = ({ contentType, body }: Reply) => folded(contentType, [new TextEncoder().encode(body)]);

describe("our own answer, whole and streamed,", () => {
  it.each<[name: string, more: Message, done: string | undefined, said: string, args: object | undefined]>([
    ["plain text", {}, undefined, text, undefined],
    ["a call of the done tool", { tools: [done(strict)] }, "done", "", { files: [], success: false, text }],
    ["JSON", { response_format: { type: "json_object" } }, undefined, JSON.stringify({ message: text }), undefined],
    [
      "JSON in the demanded shape",
      { response_format: { type: "json_schema", json_schema: { schema: answer } } },
      undefined,
      JSON.stringify({ answer: text, complete: true }),
      undefined,
    ],
  ])("is %s", (_, more, doneTool, said, args) => {
    for (const stream of [false, true]) {
      const whole = read(replyTo({ ...more, stream }, doneTool));
      expect(whole).toMatchObject({ finishReason: args === undefined ? "stop" : "tool_calls", step: { text: said } });
      expect(whole?.step.calls.map((call) => JSON.parse(call.args))).toEqual(args === undefined ? [] : [args]);
    }
  });

  it("is a given call, made the way the tool is called, and words where it is not offered", () => {
    const click = { tool: "click", args: '{"index":5}' };
    const given = (more: Message) => read(replyTo(more, undefined, click));
    const called = { id: "call_abc123", ...click };
    for (const tool of [{ function: { name: "click" } }, { type: "custom", custom: { name: "click" } }])
      expect(given({ tools: [tool] })).toMatchObject({
        finishReason: "tool_calls",
        step: { calls: [called], text: "" },
      });
    expect(given({ functions: [{ name: "click" }] })).toMatchObject({
      finishReason: "function_call",
      step: { calls: [click] },
    });
    expect(given({ tools: [] })).toMatchObject({ finishReason: "stop", step: { calls: [], text } });
  });
});

it("calls a legacy function and a custom tool their own way", () => {
  const [legacy] = JSON.parse(replyTo({ functions: [done(strict).function] }, "done").body).choices;
  expect(legacy).toMatchObject({ finish_reason: "function_call", message: { content: null } });
  expect(legacy.message.tool_calls).toBeUndefined();
  expect(new Ajv().validate(strict, JSON.parse(legacy.message.function_call.arguments))).toBe(true);
  const [custom] = JSON.parse(replyTo({ tools: [{ type: "custom", custom: { name: "say" } }] }, "say").body).choices;
  expect(custom.message.tool_calls).toEqual([
    { id: "call_abc123", type: "custom", custom: { name: "say", input: text } },
  ]);
});

it("comes as often as alternatives are asked for", () => {
  const { choices } = JSON.parse(replyTo({ n: 3 }).body);
  expect(choices.map(({ index }: { readonly index: number }) => index)).toEqual([0, 1, 2]);
});
