import { chanceFrom, prose } from "../load/material.ts";
import type { Message } from "./answer.ts";
import type { Kind } from "./kinds.ts";
import { AGAIN, AGAIN_RESULT, healthyTurn } from "./script.ts";

/** What an agent remembers and sends. */
export interface Conversation {
  /** The next request's body. */
  body(): string;
  /** The model's message, and what the tools that it calls bring. */
  hear(message: Message): void;
}

const SYSTEM = `You are an engineer's assistant. Use the tools. ${prose(chanceFrom(42), 500)}`;

const tool = (name: string, fields: Record<string, string>) => ({
  type: "function",
  function: {
    name,
    description: `The tool ${name}.`,
    parameters: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, { type }])),
      required: Object.keys(fields),
      additionalProperties: false,
    },
  },
});

const tools = [
  tool("read_file", { path: "string", from: "integer", to: "integer" }),
  tool("list_files", { folder: "string", page: "integer" }),
  tool("query", { table: "string", offset: "integer", limit: "integer" }),
  tool("search", { pattern: "string", path: "string" }),
];

export function conversation(kind: Kind, run: string): Conversation {
  const task = `Work on task ${run}: find out why the totals differ, and tell me which files to change.`;
  const opening = [
    { role: "system", content: SYSTEM },
    { role: "user", content: task },
  ].map((message) => JSON.stringify(message));
  const rest = JSON.stringify({ model: "gpt-4.1", ...(kind.stream ? { stream: true } : {}), temperature: 0, tools });
  /** Of each turn its messages. */
  const turns = Array.from({ length: kind.from }, (_, index) => pastTurn(kind, run, index));
  return {
    body() {
      const told = kind.tells === "history" ? turns : turns.slice(-1);
      return `{"messages":[${[...opening, ...told].join(",")}],${rest.slice(1)}`;
    },
    hear({ content, calls }) {
      const said = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
      const results = calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: resultOf(call, kind) }));
      turns.push([said, ...results].map((message) => JSON.stringify(message)).join(","));
    },
  };
}

function pastTurn(kind: Kind, run: string, index: number): string {
  const { pieces, tool: name, args, result } = healthyTurn(kind, index);
  const id = `call_${run}_past${index}`;
  const said = {
    role: "assistant",
    content: pieces.join(""),
    tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
  };
  return [said, { role: "tool", tool_call_id: id, content: result }]
    .map((message) => JSON.stringify(message))
    .join(",");
}

/** The same call brings the same, another call something else. */
function resultOf({ function: { name, arguments: args } }: Message["calls"][number], kind: Kind): string {
  if (name === AGAIN.tool && args === AGAIN.args) return AGAIN_RESULT;
  const turns = kind.shape.turns + 2 * kind.requests;
  for (let index = kind.from; index < turns; index += 1) {
    const turn = healthyTurn(kind, index);
    if (turn.args === args) return turn.result;
  }
  throw new Error("The model made a call that no script has.");
}
