import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import type { FinalAnswer } from "../../../src/protocols/protocol.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, parsed, searching } from "./support.ts";

const stamp = { id: "s1", created: 1_700_000_000 };
const final: FinalAnswer = { text: "It was stopped.", doneTool: undefined };

/** The answer to a request as its JSON, and as the end of its stream, which must be one and the same. */
function replied(more: object, said: Partial<FinalAnswer> = {}) {
  const given = { ...final, ...said };
  const whole = responses.reply(parsed(body("x", more)), given, stamp).body;
  const streamed = responses.reply(parsed(body("x", { ...more, stream: true })), given, stamp);
  const [, completed = ""] =
    /"type":"response.completed","response":(.*),"sequence_number":\d+\}/.exec(streamed.body) ?? [];
  expect(JSON.parse(completed).output).toEqual(JSON.parse(whole).output);
  return JSON.parse(whole);
}

describe("an answer of our own", () => {
  it("has each member that the API's specification requires, as the request has it or the API would set it", () => {
    const required =
      "id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key";
    const asked = { instructions: "Brief.", store: false, metadata: { a: "b" }, temperature: 0.2, tools: [searching] };
    const response = replied(asked);
    expect(required.split(" ").filter((name) => response[name] === undefined)).toEqual([]);
    expect(response).toMatchObject({ ...asked, id: "resp_s1", status: "completed", created_at: stamp.created });
    expect(response.output[0].content[0].text).toBe("It was stopped.");
  });

  const formOf = (schema: object) => ({ text: { format: { type: "json_schema", name: "a", strict: true, schema } } });
  const object = (properties: object) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });

  it("fits the form that the request demands, and is a refusal where no value of it could be true", () => {
    const schema = object({ summary: { type: "string" }, notes: { type: "array", items: { type: "string" } } });
    const [message] = replied(formOf(schema)).output;
    expect(new Ajv().validate(schema, JSON.parse(message.content[0].text))).toBe(true);
    const [refusal] = replied(formOf(object({ approved: { type: "boolean" } }))).output;
    expect(refusal.content).toEqual([{ type: "refusal", refusal: "It was stopped." }]);
  });

  const parameters = object({ text: { type: "string" } });
  const close = { type: "namespace", name: "agents", tools: [{ type: "function", name: "close" }] };
  it.each<[name: string, tool: object, said: Partial<FinalAnswer>, call: object]>([
    [
      "a function",
      { type: "function", name: "done", parameters },
      { doneTool: "done" },
      { type: "function_call", id: "fc_unloop_s1", name: "done", arguments: '{"text":"It was stopped."}' },
    ],
    [
      "a tool in its namespace",
      close,
      { call: { tool: "agents.close", args: "{}" } },
      { type: "function_call", name: "close", namespace: "agents", arguments: "{}" },
    ],
  ])("is a call of %s", (_, tool, said, call) => {
    expect(replied({ tools: [searching, tool] }, said).output).toMatchObject([{ ...call, call_id: "call_unloop_s1" }]);
  });
});
