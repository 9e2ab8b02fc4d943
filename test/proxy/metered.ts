import type { RawAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";

/** What one answer says it used; undefined: it says nothing of it. */
type Counted = Readonly<Record<string, unknown>> | undefined;

/** A model that does something new each time and says what that has used. */
export function metered(counted: Counted): Script {
  return ({ chat }, index) => (chat.stream ? streamOf(callsWith(index), counted) : whole(index, counted));
}

/** The deltas of an answer that calls the search tool, with 40 characters of arguments. */
function callsWith(index: number): readonly object[] {
  const args = `{"q":"${String(index).padStart(32, "0")}"}`;
  const call = {
    index: 0,
    id: `call_7e3f91ab5c2d8f04_${index}`,
    type: "function",
    function: { name: "search", arguments: "" },
  };
  return [{ role: "assistant", tool_calls: [call] }, { tool_calls: [{ index: 0, function: { arguments: args } }] }];
}

export function streamOf(
  deltas: readonly object[],
  counted: Counted,
  ending: "end" | "hang" | "cut" = "end",
): RawAnswer {
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ ...envelope("chat.completion.chunk"), choices, ...more })}\n\n`;
  const pieces = deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }]));
  const end = [
    chunk([{ index: 0, delta: {}, finish_reason: "tool_calls" }]),
    ...(counted === undefined ? [] : [chunk([], { usage: counted })]),
    "data: [DONE]\n\n",
  ];
  const fields = { "content-type": "text/event-stream" };
  return { kind: "raw", status: 200, fields, pieces: ending === "end" ? [...pieces, ...end] : pieces, ending };
}

function whole(index: number, counted: Counted): RawAnswer {
  const call = {
    id: `call_7e3f91ab5c2d8f04_${index}`,
    type: "function",
    function: { name: "search", arguments: `{"q":"${index}"}` },
  };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const body = {
    ...envelope("chat.completion"),
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    ...(counted === undefined ? {} : { usage: counted }),
  };
  const fields = { "content-type": "application/json" };
  return { kind: "raw", status: 200, fields, pieces: [JSON.stringify(body)], ending: "end" };
}

function envelope(object: string): object {
  return { id: "chatcmpl-metered", object, created: 1_700_000_000, model: "gpt-4o" };
}
