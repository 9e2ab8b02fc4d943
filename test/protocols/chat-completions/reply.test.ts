import { Ajv } from "ajv";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { ask, folded, type Message, said, user } from "./support.ts";

const text = 'Stopped: "箱根" 😀\nwas typed twice.';
const stamp = { id: "abc123", created: 1_700_000_000 };
const doneTool = {
  type: "function",
  function: {
    name: "done",
    parameters: {
      type: "object",
      properties: {
        success: { type: "boolean" },
        text: { type: "string" },
        files: { type: "array", items: { type: "string" } },
      },
      required: ["text", "success", "files"],
      additionalProperties: false,
    },
  },
};

function replyTo(messages: readonly unknown[], more: Message, done?: string) {
  return chatCompletions.reply(ask(messages, more), { text, doneTool: done }, stamp);
}

/** The official client, to whom the reply is the whole internet. */
function client(done?: string): OpenAI {
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const read = chatCompletions.parse(String(init?.body));
    if (read === undefined) throw new Error("not understood");
    const reply = chatCompletions.reply(read, { text, doneTool: done }, stamp);
    return new Response(reply.body, { headers: { "content-type": reply.contentType } });
  };
  return new OpenAI({ apiKey: "k", fetch, maxRetries: 0 });
}

const shapes = [
  { name: "plain text", more: {}, done: undefined, content: text, calls: undefined, finish: "stop" },
  {
    name: "a call of the done tool",
    more: { tools: [doneTool] },
    done: "done",
    content: null,
    calls: [{ files: [], success: false, text }],
    finish: "tool_calls",
  },
  {
    name: "text where the done tool is not on offer",
    more: {},
    done: "done",
    content: text,
    calls: undefined,
    finish: "stop",
  },
  {
    name: "a done tool without parameters, the text beside it",
    more: { tools: [{ type: "function", function: { name: "done", parameters: { type: "object", properties: {} } } }] },
    done: "done",
    content: text,
    calls: [{}],
    finish: "tool_calls",
  },
  {
    name: "a done tool of which nothing is known",
    more: { tools: [{ type: "function", function: { name: "done" } }] },
    done: "done",
    content: null,
    calls: [{ message: text }],
    finish: "tool_calls",
  },
  {
    name: "text where no arguments can satisfy the done tool",
    more: {
      tools: [
        {
          type: "function",
          function: { name: "done", parameters: { type: "object", required: ["a"], properties: { a: false } } },
        },
      ],
    },
    done: "done",
    content: text,
    calls: undefined,
    finish: "stop",
  },
  {
    name: "a JSON object",
    more: { response_format: { type: "json_object" } },
    done: undefined,
    content: JSON.stringify({ message: text }),
    calls: undefined,
    finish: "stop",
  },
  {
    name: "JSON in the demanded shape",
    more: {
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "r",
          schema: {
            type: "object",
            properties: { answer: { type: "string" }, complete: { type: "boolean" } },
            required: ["answer", "complete"],
          },
        },
      },
    },
    done: undefined,
    content: JSON.stringify({ answer: text, complete: true }),
    calls: undefined,
    finish: "stop",
  },
] as const;

describe.each(shapes)("the official client reads $name", ({ more, done, content, calls, finish }) => {
  const params = { model: "gpt-4.1", messages: [{ role: "user" as const, content: "q" }], ...(more as object) };

  function check(completion: OpenAI.ChatCompletion): void {
    const [choice] = completion.choices;
    expect(completion.model).toBe("gpt-4.1");
    expect(choice?.finish_reason).toBe(finish);
    expect(choice?.message.content ?? null).toBe(content);
    const args = choice?.message.tool_calls?.map(
      (call) => call.type === "function" && JSON.parse(call.function.arguments),
    );
    expect(args).toEqual(calls);
  }

  it("a reply in JSON is read by the official client", async () => {
    const completion = await client(done).chat.completions.create(params);
    check(completion);
    expect(completion.usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  });

  it("a streamed reply is put together by the official client's helper", async () => {
    check(await client(done).chat.completions.stream(params).finalChatCompletion());
  });

  it("a streamed reply is read event by event", async () => {
    const wants = { ...params, stream: true as const, stream_options: { include_usage: true } };
    const chunks = [];
    for await (const chunk of await client(done).chat.completions.create(wants)) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(finish);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
  });
});

it("lets the client's own tool loop come to its end", async () => {
  const runner = client().chat.completions.runTools({
    model: "gpt-4.1",
    messages: [{ role: "user", content: "q" }],
    tools: [
      {
        type: "function",
        function: { name: "x", parameters: {}, description: "", function: (_: string) => "never" },
      },
    ],
  });
  expect(await runner.finalContent()).toBe(text);
});

it("speaks of usage in a stream only where asked", () => {
  const { body, contentType } = replyTo([user("q")], { stream: true });
  expect(contentType).toBe("text/event-stream; charset=utf-8");
  expect(body).not.toContain("usage");
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
});

it("calls a legacy function and a custom tool their own way", () => {
  const legacy = JSON.parse(replyTo([user("q")], { functions: [doneTool.function] }, "done").body);
  expect(legacy.choices[0].finish_reason).toBe("function_call");
  expect(legacy.choices[0].message.tool_calls).toBeUndefined();
  expect(
    new Ajv().validate(doneTool.function.parameters, JSON.parse(legacy.choices[0].message.function_call.arguments)),
  ).toBe(true);
  const custom = JSON.parse(replyTo([user("q")], { tools: [{ type: "custom", custom: { name: "say" } }] }, "say").body);
  expect(custom.choices[0].message.tool_calls).toEqual([
    { id: "call_abc123", type: "custom", custom: { name: "say", input: text } },
  ]);
});

describe("an agent that writes its actions as text is answered in kind", () => {
  const web = { explanation: "typing", actions: [{ action: "type", target: "#q", value: "x" }], complete: false };
  const use = { current_state: { memory: "m" }, action: [{ click: { index: 5 } }] };
  it.each([
    { name: "web actions", content: JSON.stringify(web), expected: { explanation: text, actions: [], complete: true } },
    {
      name: "web actions without a word",
      content: JSON.stringify({ actions: web.actions }),
      expected: { actions: [], message: text },
    },
    {
      name: "browser-use",
      content: JSON.stringify(use),
      expected: { current_state: { memory: "" }, action: [{ done: { text, success: false } }] },
    },
    {
      name: "structured chat",
      content: '{"action":"a","action_input":"b"}',
      expected: { action: "Final Answer", action_input: text },
    },
  ])("$name", ({ content, expected }) => {
    const more = { response_format: { type: "json_object" } };
    const { choices } = JSON.parse(replyTo([user("q"), said(content), user("page")], more).body);
    expect(JSON.parse(choices[0].message.content)).toEqual(expected);
  });

  it("ReAct", () => {
    const { choices } = JSON.parse(replyTo([said("Action: a\nAction Input: b"), user("Observation: c")], {}).body);
    expect(choices[0].message.content).toBe(`Final Answer: ${text}`);
  });
});

it.each([{ stream: true }, { stream: false }])("is itself an answer that the fold understands: %j", (more) => {
  const { body, contentType } = replyTo([user("q")], { ...more, tools: [doneTool] }, "done");
  const answer = folded(contentType, [new TextEncoder().encode(body)]);
  expect(answer?.finishReason).toBe("tool_calls");
  expect(answer?.step.calls).toMatchObject([{ id: "call_abc123", tool: "done" }]);
});

it("puts errors in the API's own shape", async () => {
  const { body, contentType } = chatCompletions.error({ code: "loop_detected", status: 400, message: "m" }, "body");
  const fetch = async () => new Response(body, { status: 400, headers: { "content-type": contentType } });
  const failing = new OpenAI({ apiKey: "k", fetch, maxRetries: 0 });
  const failed = failing.chat.completions.create({ model: "m", messages: [] });
  await expect(failed).rejects.toMatchObject({
    status: 400,
    code: "loop_detected",
    type: "invalid_request_error",
    param: null,
  });
});
