import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProtocolName } from "../../src/protocols/protocols.ts";

export interface Sample {
  readonly path: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly events: readonly unknown[];
}

function sampleOf(name: ProtocolName, path: string): Sample {
  const lines = readFileSync(join(import.meta.dirname, "samples", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  const [request, answer, ...events] = lines.map((line): unknown => JSON.parse(line));
  return { path, request, answer, events };
}

export const samples: Readonly<Record<ProtocolName, Sample>> = {
  "chat-completions": sampleOf("chat-completions", "/v1/chat/completions"),
  responses: sampleOf("responses", "/v1/responses"),
  ollama: sampleOf("ollama", "/api/chat"),
  messages: sampleOf("messages", "/v1/messages"),
  gemini: sampleOf("gemini", "/v1beta/models/m:generateContent"),
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
