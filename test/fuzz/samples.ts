import type { ProtocolName } from "../../src/protocols/protocols.ts";

/** One request, one answer and one stream of a wire format, with every kind of part that its parser knows. */
export interface Sample {
  readonly path: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly events: readonly unknown[];
}

const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const args = '{"q":"Paris"}';

export const samples: Readonly<Record<ProtocolName, Sample>> = {
  "chat-completions": {
    path: "/v1/chat/completions",
    request: {
      model: "m",
      stream: true,
      user: "u",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "search", arguments: args } }],
        },
        { role: "tool", tool_call_id: "a", content: "rain" },
        { role: "assistant", content: 'Thought: again\nAction: search\nAction Input: {"q":"Paris"}' },
        { role: "user", content: "Observation: rain" },
      ],
      tools: [{ type: "function", function: { name: "search", description: "finds", parameters: schema } }],
      response_format: { type: "json_schema", json_schema: { name: "s", schema } },
    },
    answer: {
      id: "c",
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "Hm.",
            tool_calls: [{ id: "b", type: "function", function: { name: "search", arguments: args } }],
          },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    },
    events: [
      { id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "Hm" } }] },
      {
        id: "c",
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: "b", function: { name: "search", arguments: '{"q":' } }] },
          },
        ],
      },
      { id: "c", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] } }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage: { prompt_tokens: 3 } },
    ],
  },
  responses: {
    path: "/v1/responses",
    request: {
      model: "m",
      instructions: "Be brief.",
      previous_response_id: "resp_0",
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "look" }] },
        { type: "function_call", call_id: "a", name: "search", arguments: args },
        { type: "function_call_output", call_id: "a", output: "rain" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Rain." }] },
        { role: "user", content: "continue" },
      ],
      tools: [{ type: "function", name: "search", parameters: schema }, { type: "web_search" }],
      text: { format: { type: "json_schema", name: "s", schema } },
    },
    answer: {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hm." }] },
        { type: "function_call", id: "f", call_id: "b", name: "search", arguments: args, status: "completed" },
      ],
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    events: [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i", content: [] } },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "i", delta: "Hm." },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "function_call", id: "f", call_id: "b", name: "search", arguments: "" },
      },
      { type: "response.function_call_arguments.delta", output_index: 1, item_id: "f", delta: args },
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } },
    ],
  },
  ollama: {
    path: "/api/chat",
    request: {
      model: "m",
      options: { temperature: 0, seed: 7 },
      keep_alive: "5m",
      think: true,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather?", images: ["iVBORw0KGgo="] },
        {
          role: "assistant",
          content: "",
          thinking: "look",
          tool_calls: [{ function: { name: "search", arguments: { q: "Paris" } } }],
        },
        { role: "tool", tool_name: "search", content: "rain" },
      ],
      tools: [{ type: "function", function: { name: "search", description: "finds", parameters: schema } }],
      format: schema,
    },
    answer: {
      model: "m",
      created_at: "2026-01-01T00:00:00Z",
      message: {
        role: "assistant",
        content: "Hm.",
        tool_calls: [{ function: { name: "search", arguments: { q: "Paris" } } }],
      },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 3,
      eval_count: 2,
    },
    events: [
      { model: "m", message: { role: "assistant", content: "", thinking: "look" }, done: false },
      { model: "m", message: { role: "assistant", content: "Hm." }, done: false },
      {
        model: "m",
        message: {
          role: "assistant",
          content: "",
          tool_calls: [{ function: { name: "search", arguments: { q: "Paris" } } }],
        },
        done: false,
      },
      { model: "m", message: { role: "assistant", content: "" }, done: true, prompt_eval_count: 3, eval_count: 2 },
    ],
  },
  messages: {
    path: "/v1/messages",
    request: {
      model: "m",
      max_tokens: 9,
      metadata: { user_id: "user_1_session_2" },
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "look", signature: "s" },
            { type: "tool_use", id: "a", name: "search", input: { q: "Paris" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "rain" }] }],
        },
      ],
      tools: [{ name: "search", description: "finds", input_schema: schema }],
      tool_choice: { type: "auto" },
    },
    answer: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: "Hm." },
        { type: "tool_use", id: "b", name: "search", input: { q: "Paris" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    events: [
      { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], usage: { input_tokens: 3 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hm." } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "b", name: "search", input: {} },
      },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
  },
  gemini: {
    path: "/v1beta/models/m:generateContent",
    request: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Weather?" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
        {
          role: "model",
          parts: [
            { text: "look", thought: true },
            { functionCall: { id: "a", name: "search", args: { q: "Paris" } }, thoughtSignature: "c2ln" },
          ],
        },
        { role: "user", parts: [{ functionResponse: { id: "a", name: "search", response: { output: "rain" } } }] },
        {
          role: "model",
          parts: [
            { executable_code: { language: "PYTHON", code: "1/0" } },
            { code_execution_result: { outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
            { toolCall: { id: "t", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["Paris"] } } },
            { toolResponse: { id: "t", toolType: "GOOGLE_SEARCH_WEB", response: { output: "sun" } } },
          ],
        },
        { role: "user", parts: { text: "continue" } },
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: "search",
              description: "finds",
              parameters: { type: "OBJECT", properties: { q: { type: "STRING" } } },
            },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["search"] } },
      generationConfig: { temperature: 0, responseMimeType: "application/json", responseJsonSchema: schema },
    },
    answer: {
      responseId: "r",
      candidates: [
        {
          index: 0,
          finishReason: "STOP",
          content: {
            role: "model",
            parts: [{ text: "Hm." }, { functionCall: { id: "b", name: "search", args: { q: "Paris" } } }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    },
    events: [
      { responseId: "r", candidates: [{ content: { role: "model", parts: [{ text: "Hm", thought: true }] } }] },
      { responseId: "r", candidates: [{ content: { role: "model", parts: [{ text: "Hm." }] }, index: 0 }] },
      {
        responseId: "r",
        candidates: [
          { content: { role: "model", parts: [{ functionCall: { name: "search", args: { q: "Paris" } } }] } },
        ],
      },
      {
        responseId: "r",
        candidates: [{ content: { role: "model", parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL" }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
      },
    ],
  },
};

export const actionTexts: readonly string[] = [
  'Thought: I look.\nAction: search\nAction Input: {"q":"Paris"}\nObservation: rain',
  "Thought: I look.\nCode:\n```py\nprint(search(q='Paris', n=[1, None]))\n```<end_code>",
  '{"thought":"look","action":[{"click":{"index":5}}]}',
  "Calling tools:\n[{'id': 'a', 'type': 'function', 'function': {'name': 'search', 'arguments': {'q': 'Paris'}}}]",
  '[[ ## next_thought ## ]]\nlook\n\n[[ ## next_tool_name ## ]]\nsearch\n\n[[ ## next_tool_args ## ]]\n{"q": "Paris"}',
];

export const configurations: readonly string[] = [
  [
    "mode: enforce",
    "policy: mine",
    "policies:",
    "  mine: { extends: default, budget: { steps: 30 } }",
    "rules:",
    "  - name: eu",
    '    when: { model: "gpt-*" }',
    "    policy: mine",
    "limits: { maxBodyBytes: 1000000 }",
  ].join("\n"),
  '{"mode":"enforce","policy":"default","rollout":10}',
];

export const policies: readonly unknown[] = [
  {
    extends: ["default"],
    language: "auto",
    budget: { steps: 30, cost: 2 },
    prices: { "gpt-*": { input: 1, output: 2 } },
    ladders: { "repeated-call": { nudge: 3, "force-done": 5 }, "call-cycle": "off" },
    tools: { poll: { ladders: { "repeated-call": "off" } } },
  },
];
