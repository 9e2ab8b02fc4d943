import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/protocols/protocols.ts";
import { folded } from "./support.ts";

const sse = "text/event-stream; charset=utf-8";
const json = "application/json";
const bytes = (text: string) => new TextEncoder().encode(text);
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/chat-completions/${name}`, import.meta.url), "utf8");

const recordings: readonly { name: string; type: string; expected: Answer }[] = [
  {
    name: "text.sse",
    type: sse,
    expected: {
      id: "chatcmpl-B1",
      step: { calls: [], text: '箱根の宿は — 😀 "ok"\n', heard: [] },
      finishReason: "stop",
      usage: { inputTokens: 19, outputTokens: 10 },
      model: "gpt-4.1-2025-04-14",
    },
  },
  {
    name: "parallel-tools.sse",
    type: sse,
    expected: {
      id: "chatcmpl-D1",
      step: {
        calls: [
          { id: "call_a", tool: "get_weather", args: '{"city": "Zürich"}' },
          { id: "call_b", tool: "shell", args: "ls -la" },
        ],
        text: "",
        heard: [],
      },
      finishReason: "tool_calls",
      usage: { inputTokens: 82, outputTokens: 34 },
      model: "gpt-4o",
    },
  },
  {
    name: "legacy-function.sse",
    type: sse,
    expected: {
      id: "chatcmpl-7",
      step: { calls: [{ tool: "lookup", args: '{"q":"né"}' }], text: "", heard: [] },
      finishReason: "function_call",
      usage: undefined,
      model: "gpt-3.5-turbo-0613",
    },
  },
  {
    name: "text-action.sse",
    type: sse,
    expected: {
      id: "c1",
      step: { calls: [{ tool: "type", args: '{"target":"#q","value":"箱根"}' }], text: "入力します", heard: [] },
      finishReason: "stop",
      usage: { inputTokens: 5, outputTokens: 7 },
      model: "qwen3",
    },
  },
  {
    name: "parallel-tools.json",
    type: json,
    expected: {
      id: "chatcmpl-J1",
      step: {
        calls: [
          { id: "call_1", tool: "read", args: '{"path":"ä.txt"}' },
          { id: "call_2", tool: "read", args: '{"path":"b.txt"}' },
        ],
        text: "Looking — both at once.",
        heard: [],
      },
      finishReason: "tool_calls",
      usage: { inputTokens: 82, outputTokens: 17 },
      model: "gpt-4.1-2025-04-14",
    },
  },
];

it.each(recordings)("$name is read byte by byte", ({ name, type, expected }) => {
  const pieces = Array.from(bytes(fixture(name)), (byte) => Uint8Array.of(byte));
  expect(folded(type, pieces)).toEqual(expected);
});

const chunk = (delta: unknown, finish: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
const stream = (...events: readonly string[]) => folded(sse, [bytes(events.join(""))]);
const done = "data: [DONE]\n\n";
const toolDelta = (index: number | undefined, id: string | undefined, name: string | undefined, args: string) =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] });

describe("streams", () => {
  it.each([
    { name: "an error event", events: [chunk({ content: "a" }), 'data: {"error":{"message":"overloaded"}}\n\n', done] },
    {
      name: "an event named error",
      events: [chunk({ content: "a" }), 'event: error\ndata: {"message":"x"}\n\n', done],
    },
    { name: "neither finish_reason nor [DONE]", events: [chunk({ content: "a" })] },
    { name: "a chunk that is no JSON", events: [chunk({ content: "a" }), "data: {oops\n\n", done] },
    { name: "nothing but [DONE]", events: [done] },
    { name: "nothing at all", events: [] },
    { name: "another API's events", events: ['event: message_start\ndata: {"type":"message_start"}\n\n', done] },
  ])("$name is no answer", ({ events }) => expect(stream(...events)).toBeUndefined());

  it.each([
    { name: "no [DONE]", events: [chunk({ content: "a" }), chunk({}, "stop")] },
    { name: "no [DONE] and a usage chunk cut short", events: [chunk({ content: "a" }, "stop"), 'data: {"choi'] },
    { name: "no finish_reason but [DONE]", events: [chunk({ content: "a" }), done] },
    { name: "no blank line behind the last event", events: [chunk({ content: "a" }), "data: [DONE]"] },
    { name: "content in parts", events: [chunk({ content: [{ type: "text", text: "a" }] }, "stop")] },
    { name: "things said after [DONE]", events: [chunk({ content: "a" }, "stop"), done, chunk({ content: "b" })] },
    {
      name: "fields of wrong types",
      events: [chunk({ content: "a", tool_calls: 5, function_call: "x", refusal: {} }, "stop")],
    },
    {
      name: "choices that are none",
      events: ['data: {"choices":[null,5,{"index":3}]}\n\n', chunk({ content: "a" }, "stop")],
    },
    { name: "an empty legacy call", events: [chunk({ content: "a", function_call: {} }, "stop")] },
  ])("$name is an answer all the same", ({ events }) => {
    expect(stream(...events)?.step).toEqual({ calls: [], text: "a", heard: [] });
  });

  it.each([
    { name: "calls without index", deltas: [toolDelta(undefined, "a", "x", "1"), toolDelta(undefined, "b", "y", "2")] },
    { name: "calls all at index 0", deltas: [toolDelta(0, "a", "x", "1"), toolDelta(0, "b", "y", "2")] },
    {
      name: "an id and name repeated in every piece",
      deltas: [toolDelta(0, "a", "x", ""), toolDelta(0, "a", "x", "1"), toolDelta(1, "b", "y", "2")],
    },
    {
      name: "pieces interleaved and out of order",
      deltas: [toolDelta(1, "b", "y", ""), toolDelta(0, "a", "x", "1"), toolDelta(1, undefined, undefined, "2")],
    },
    {
      name: "empty ids in later pieces",
      deltas: [toolDelta(0, "a", "x", ""), toolDelta(0, "", "", "1"), toolDelta(1, "b", "y", "2")],
    },
  ])("$name are told apart", ({ deltas }) => {
    expect(stream(...deltas, chunk({}, "tool_calls"), done)?.step.calls).toEqual([
      { id: "a", tool: "x", args: "1" },
      { id: "b", tool: "y", args: "2" },
    ]);
  });

  it("keeps a refusal as the text", () => {
    expect(stream(chunk({ refusal: "I " }), chunk({ refusal: "won't" }, "stop"))?.step.text).toBe("I won't");
  });

  it.each([
    { name: "much text", piece: chunk({ content: "x".repeat(1_000_000) }) },
    {
      name: "many calls",
      piece: chunk({
        tool_calls: Array.from({ length: 20_000 }, (_, id) => ({ id: `${id}`, function: { name: "x".repeat(10) } })),
      }),
    },
    { name: "one endless event", piece: "x".repeat(1_000_000) },
  ])("gives $name up above the bound", ({ piece }) => {
    const pieces = Array.from({ length: 12 }, () => bytes(piece));
    expect(folded(sse, [...pieces, bytes(`\n\n${chunk({}, "stop")}`)])).toBeUndefined();
  });
});

describe("whole answers", () => {
  it.each([
    { name: "an error", text: '{"error":{"message":"no"}}' },
    { name: "no choices", text: '{"choices":[]}' },
    { name: "another shape", text: '{"content":[{"type":"text"}]}' },
    { name: "a choice without message", text: '{"choices":[{"index":0}]}' },
    { name: "HTML", text: "<html>" },
    { name: "nothing", text: "" },
    { name: "too much", text: `{"choices":[{"message":{"content":"${"x".repeat(9_000_000)}"}}]}` },
  ])("$name is no answer", ({ text }) => expect(folded(json, [bytes(text)])).toBeUndefined());

  it("takes the first of several alternatives", () => {
    const choices = [1, 0].map((index) => ({ index, message: { content: `${index}` }, finish_reason: "stop" }));
    expect(folded("", [bytes(JSON.stringify({ choices }))])?.step.text).toBe("0");
  });
});
