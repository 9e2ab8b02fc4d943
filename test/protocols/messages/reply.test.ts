import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { FinalAnswer } from "../../../src/protocols/protocol.ts";
import { sseReader } from "../../../src/sse/sse.ts";
import { ask, type Message, partsOf, text, user } from "./support.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

const stamp = { id: "u1", created: 1 };
const done = {
  name: "done",
  input_schema: {
    type: "object",
    properties: { success: { type: "boolean" }, text: { type: "string" } },
    required: ["success", "text"],
  },
};
const final = (more: Partial<FinalAnswer> = {}): FinalAnswer => ({
  text: "It went in circles.",
  doneTool: undefined,
  ...more,
});
const reply = (more: Message, answer = final()) => protocol.reply(ask([user(text("Go."))], more), answer, stamp);
const message = (more: Message, answer = final()) => JSON.parse(reply(more, answer).body);

describe("our own final answer", () => {
  it("is a text, visible, with nothing counted", () => {
    expect(message({})).toEqual({
      id: "msg_u1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      container: null,
      content: [{ type: "text", text: "It went in circles.", citations: [] }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        cache_creation: null,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
        server_tool_use: null,
        service_tier: null,
      },
    });
  });

  it("is a call of the done tool", () => {
    expect(message({ tools: [done] }, final({ doneTool: "done" }))).toMatchObject({
      content: [
        { type: "tool_use", id: "toolu_u1", name: "done", input: { success: false, text: "It went in circles." } },
      ],
      stop_reason: "tool_use",
    });
  });

  it("is JSON where a schema is demanded", () => {
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    const { content } = message({ output_config: { format: { type: "json_schema", schema } } });
    expect(JSON.parse(content[0].text)).toEqual({ answer: "It went in circles." });
  });

  it("is a call that was given", () => {
    const call = { tool: "done", args: '{"text":"back"}' };
    expect(message({ tools: [done] }, final({ call })).content).toEqual([
      { type: "tool_use", id: "toolu_u1", name: "done", input: { text: "back" } },
    ]);
  });

  it.each([
    ["a text", {}, final()],
    ["a call", { tools: [done] }, final({ doneTool: "done" })],
  ])("says the same where it is streamed: %s", (_, more, answer) => {
    const whole = wholeAnswer(protocol.decoder(), reply(more, answer).body);
    const streamed = reply({ ...more, stream: true }, answer);
    expect(streamed.contentType).toContain("event-stream");
    const parts = partsOf(sseReader(100_000).push(new TextEncoder().encode(streamed.body)) ?? []);
    const words = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
    const args = parts.flatMap((part) => (part.kind === "call-args" ? [part.text] : [])).join("");
    expect(words).toBe(whole?.step.text);
    expect(args).toBe(whole?.step.calls.map((call) => call.args).join(""));
    expect(parts.slice(-2)).toEqual([{ kind: "finish", reason: whole?.finishReason }, { kind: "end" }]);
  });
});

describe("an error", () => {
  it.each([
    [400, "invalid_request_error"],
    [402, "invalid_request_error"],
    [413, "request_too_large"],
    [502, "api_error"],
    [504, "timeout_error"],
  ])("with status %i is of the type %s, and tells our code", (status, type) => {
    const { body, contentType } = protocol.error({ code: "loop_detected", status, message: "Over." }, "body");
    expect(contentType).toBe("application/json");
    expect(JSON.parse(body)).toEqual({ type: "error", error: { type, message: "Over.", code: "loop_detected" } });
  });

  it("may end a stream", () => {
    const { body } = protocol.error({ code: "loop_detected", status: 400, message: "Over." }, "event");
    expect(body).toMatch(/^event: error\ndata: \{"type":"error",.*\}\n\n$/);
  });
});

it("a whole answer may tell the usage of two", () => {
  const answer = (input: number) => `{"big":12345678901234567890,"usage":{"input_tokens":${input},"output_tokens":1}}`;
  expect(protocol.addUsage(answer(2), answer(3))).toBe(
    '{"big":12345678901234567890,"usage":{"input_tokens":5,"output_tokens":2}}',
  );
});
