import { readFileSync } from "node:fs";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { doneTool, type Message, messageIn } from "../proxy/agent.ts";
import { post } from "../proxy/guard-rig.ts";
import type { Rig } from "./rig.ts";

/** An action of an agent, such as `{ click: { index: 5 } }`. */
export type Action = Readonly<Record<string, object>>;

/** How an agent's model writes its actions, and how the agent tells what came of them. */
export interface Shape {
  readonly name: string;
  /** Members of the request beside its messages. */
  readonly offer: object;
  readonly answer: (actions: readonly Action[]) => ScriptedAnswer;
  /** The actions of an answer; none in plain words. */
  readonly actionsIn: (message: Message) => readonly Action[];
  readonly tell: (message: Message, results: readonly string[]) => readonly object[];
  /** What the agent tells of an action that failed. */
  readonly failure: string;
  /** How it tells what an action reports. */
  readonly reports: (report: string) => string;
  /** Whether a request lets the model do nothing but finish. */
  readonly isForced: (request: Request) => boolean;
}

type Request = Readonly<Record<string, unknown>>;

const clickTool = {
  type: "function",
  function: { name: "click", parameters: { type: "object", properties: { index: { type: "integer" } } } },
};
const union = JSON.parse(readFileSync(new URL("../fixtures/browser-use/union.json", import.meta.url), "utf8"));

const callsIn = (message: Message) => message.tool_calls ?? [];

const toolCalls: Shape = {
  name: "tool calls",
  offer: { tools: [clickTool, doneTool] },
  answer: (actions) => ({
    kind: "calls",
    calls: actions.flatMap((action) =>
      Object.entries(action).map(([tool, args]) => ({ tool, args: JSON.stringify(args) })),
    ),
  }),
  actionsIn: (message) =>
    callsIn(message).map((call) => ({ [call.function.name]: JSON.parse(call.function.arguments) })),
  tell: (message, results) =>
    callsIn(message).map((call, i) => ({ role: "tool", tool_call_id: call.id, content: results[i] })),
  failure: "Error: Element not found",
  reports: (report) => report,
  isForced: ({ tools, tool_choice }) =>
    JSON.stringify([tools, tool_choice]) ===
    JSON.stringify([[doneTool], { type: "function", function: { name: "done" } }]),
};

/** What browser-use's models write, whatever it is put in. */
function output(actions: readonly Action[]): string {
  const current_state = { evaluation_previous_goal: "Unknown", memory: `Next: ${actions.length}`, next_goal: "Go on" };
  return JSON.stringify({ current_state, action: actions });
}

const actionsOf = (json: string): readonly Action[] => JSON.parse(json).action;

const agentOutput: Shape = {
  name: "an AgentOutput tool call",
  offer: { tools: [{ type: "function", function: { name: "AgentOutput", parameters: union } }] },
  answer: (actions) => ({ kind: "calls", calls: [{ tool: "AgentOutput", args: output(actions) }] }),
  actionsIn: (message) => callsIn(message).flatMap((call) => actionsOf(call.function.arguments)),
  tell: (message, results) => [
    ...callsIn(message).map((call) => ({ role: "tool", tool_call_id: call.id, content: "" })),
    ...results.map((content) => ({ role: "user", content })),
  ],
  failure: "Action error: Element not found",
  // As browser-use tells them, which has a label for each.
  reports: (report) => (/^Action /.test(report) ? report : `Action result: ${report}`),
  isForced: ({ tools, tool_choice }) =>
    JSON.stringify(tool_choice) === '{"type":"function","function":{"name":"AgentOutput"}}' &&
    JSON.stringify(tools).includes('"items":{"$ref":"#/$defs/DoneActionModel"}'),
};

export const shapes: readonly Shape[] = [toolCalls, agentOutput];

/** An agent that asks, acts, tells what came of it, and asks again until its model says that it is done. */
export async function browse(
  { url, upstream, ask = post }: Rig,
  shape: Shape,
  run: {
    readonly task: string;
    readonly turns: number;
    readonly result: (action: Action, turn: number) => string;
    readonly settled?: () => Promise<void>;
  },
) {
  const messages: object[] = [
    { role: "system", content: "You browse." },
    { role: "user", content: run.task },
  ];
  const turns = [];
  for (let turn = 0; turn < run.turns; turn += 1) {
    const sent = { model: "gpt-4o", ...shape.offer, messages: [...messages] };
    const before = upstream.requests.length;
    const { text, headers } = await ask(url, JSON.stringify(sent));
    await run.settled?.();
    const message = messageIn(text);
    const actions = shape.actionsIn(message);
    const received = upstream.requests.slice(before);
    turns.push({ headers, received, sent, text, message, actions });
    if (actions.length === 0 || actions.some((action) => "done" in action)) return turns;
    messages.push(
      message,
      ...shape.tell(
        message,
        actions.map((action) => run.result(action, turn)),
      ),
    );
  }
  return turns;
}
