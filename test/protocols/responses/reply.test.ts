import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import type { FinalAnswer } from "../../../src/protocols/protocol.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { heardResponse } from "../../support/wires/responses-heard.ts";
import { body, parsed, searching } from "./support.ts";

const stamp = { id: "s1", created: 1_700_000_000 };
const final: FinalAnswer = { text: "It was stopped.", doneTool: undefined };

/** The answer to a request as its JSON, and as the end of its stream, which must be one and the same. */
function output(more: object, said: Partial<FinalAnswer> = {}): readonly Record<string, unknown>[] {
  const given = { ...final, ...said };
  const whole = responses.reply(parsed(body("x", more)), given, stamp);
  const streamed = responses.reply(parsed(body("x", { ...more, stream: true })), given, stamp);
  expect(whole.contentType).toBe("application/json");
  expect(streamed.contentType).toMatch(/^text\/event-stream/);
  const completed =
    /"type":"response.completed","response":(.*),"sequence_number":\d+\}/.exec(streamed.body)?.[1] ?? "";
  expect(JSON.parse(completed).output).toEqual(JSON.parse(whole.body).output);
  return JSON.parse(whole.body).output;
}

function textOf(item: Record<string, unknown> | undefined): string {
  const [part] = (item?.content ?? []) as readonly { readonly text?: string }[];
  return part?.text ?? "";
}

describe("an answer of our own", () => {
  it("has each member that the API's specification requires, as the request has it or the API would set it", () => {
    const required =
      "id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key";
    const { body: text } = responses.reply(parsed(body("x", { service_tier: "flex" })), final, stamp);
    const response = JSON.parse(text);
    expect(required.split(" ").filter((name) => response[name] === undefined)).toEqual([]);
    expect(response.service_tier).toBe("flex");
  });

  it("is words that a strict client reads, as JSON and as events", () => {
    for (const stream of [false, true]) {
      const { body: text, contentType } = responses.reply(
        parsed(body("x", { stream, tools: [searching] })),
        final,
        stamp,
      );
      expect(heardResponse(text, contentType)).toMatchObject({
        id: "resp_s1",
        text: "It was stopped.",
        calls: [],
        usage: { input: 0, output: 0 },
      });
    }
  });

  it("fits the form that the request demands", () => {
    const schema = {
      type: "object",
      properties: { summary: { type: "string" }, notes: { type: "array", items: { type: "string" } } },
      required: ["summary", "notes"],
      additionalProperties: false,
    };
    const [message] = output({ text: { format: { type: "json_schema", name: "trip", strict: true, schema } } });
    expect(new Ajv().validate(schema, JSON.parse(textOf(message)))).toBe(true);
    const [plain] = output({ text: { format: { type: "json_object" } } });
    expect(JSON.parse(textOf(plain))).toMatchObject({ message: "It was stopped." });
  });

  it("is a refusal where no value of that form could be true", () => {
    const schema = {
      type: "object",
      properties: { approved: { type: "boolean" } },
      required: ["approved"],
      additionalProperties: false,
    };
    const [message] = output({ text: { format: { type: "json_schema", name: "verdict", strict: true, schema } } });
    expect(message?.content).toEqual([{ type: "refusal", refusal: "It was stopped." }]);
  });

  it.each([
    {
      name: "a function",
      tool: {
        type: "function",
        name: "done",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
      call: {
        type: "function_call",
        id: "fc_unloop_s1",
        call_id: "call_unloop_s1",
        name: "done",
        arguments: '{"text":"It was stopped."}',
      },
    },
    {
      name: "a custom tool",
      tool: { type: "custom", name: "done" },
      call: {
        type: "custom_tool_call",
        id: "ctc_unloop_s1",
        call_id: "call_unloop_s1",
        name: "done",
        input: "It was stopped.",
      },
    },
  ])("is a call of $name that ends the run", ({ tool, call }) => {
    expect(output({ tools: [searching, tool] }, { doneTool: "done" })).toMatchObject([call]);
  });

  it("is a call of a tool in its namespace", () => {
    const tools = [{ type: "namespace", name: "agents", tools: [{ type: "function", name: "close" }] }];
    const [call] = output({ tools }, { call: { tool: "agents.close", args: "{}" } });
    expect(call).toMatchObject({ type: "function_call", name: "close", namespace: "agents", arguments: "{}" });
  });

  it("says again what was asked for, as the API does", () => {
    const more = {
      instructions: "Be brief.",
      previous_response_id: "resp_1",
      store: false,
      metadata: { a: "b" },
      temperature: 0.2,
    };
    const reply = JSON.parse(responses.reply(parsed(body("x", more)), final, stamp).body);
    expect(reply).toMatchObject({ ...more, object: "response", status: "completed", created_at: stamp.created });
  });
});
