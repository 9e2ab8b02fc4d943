import { describe, expect, it } from "vitest";
import type { Script } from "../../support/servers/upstream.ts";
import { sendTool } from "../../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";
import { geminiArrayWire } from "../../support/wires/gemini.ts";
import { responsesWire } from "../../support/wires/responses.ts";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import type { Wire } from "../../support/wires/wire.ts";
import { guardRig, standard } from "../guard-rig.ts";

/** The message that has gone out already: its second time is a loop. */
const sent = { id: "call_1", tool: "send_message", args: '{"text":"The database is healthy."}' };
const sending: ScriptedAnswer = { kind: "calls", calls: [{ tool: sent.tool, args: sent.args }] };
const resting: ScriptedAnswer = { kind: "text", text: "It has been sent." };

/** What reaches the client of an answer that is announced and written so, and how often the model was asked. */
async function heardOf(
  wire: Wire,
  {
    type,
    written = (stream) => stream,
  }: {
    readonly type?: string;
    readonly written?: (stream: string) => string;
  },
) {
  const script: Script = (request, index) => {
    if (index > 0) return resting;
    const { status, fields, pieces } = wire.rendered(sending, request.view, () => "1");
    const { "content-type": own, ...others } = fields;
    const announced = type ?? own;
    const all = written(pieces.map(String).join(""));
    return {
      kind: "raw",
      status,
      fields: { ...others, ...(announced !== undefined && { "content-type": announced }) },
      pieces: [all.slice(0, 3), all.slice(3)],
      ending: "end",
    };
  };
  const rig = await guardRig(script, { policy: standard() }, wire);
  const said = [
    { who: "user" as const, text: "Tell them how the database does." },
    { who: "assistant" as const, calls: [sent] },
    { who: "tool" as const, id: sent.id, text: "Sent." },
  ];
  const body = JSON.stringify(wire.body({ said, tools: [sendTool], stream: true }));
  const response = await fetch(rig.url + wire.path, { method: "POST", headers: wire.fields, body });
  return { text: await response.text(), asked: rig.upstream.requests.length };
}

describe("a call that would complete a loop is held back", () => {
  it.each([
    { name: "announced as plain text", wire: chatCompletionsWire, type: "text/plain; charset=utf-8" },
    { name: "in an array, announced as a stream of JSON", wire: geminiArrayWire, type: "application/stream+json" },
    {
      name: "with its arguments as an object",
      wire: chatCompletionsWire,
      written: () =>
        ["role", "call", "end"]
          .map((part) => ({
            id: "c1",
            object: "chat.completion.chunk",
            choices: [
              {
                index: 0,
                delta:
                  part === "call"
                    ? {
                        tool_calls: [
                          { index: 0, id: "x", function: { name: sent.tool, arguments: JSON.parse(sent.args) } },
                        ],
                      }
                    : {},
                finish_reason: part === "end" ? "tool_calls" : null,
              },
            ],
          }))
          .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
          .join(""),
    },
    {
      name: "with its tool's name in two pieces",
      wire: chatCompletionsWire,
      written: () =>
        [
          { id: "x", function: { name: "send_" } },
          { function: { name: "message" } },
          { function: { arguments: sent.args } },
        ]
          .map((call) => ({ id: "c1", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] }))
          .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
          .concat("data: [DONE]\n\n")
          .join(""),
    },
    {
      name: "in a stream that ends with response.done",
      wire: responsesWire,
      written: (stream: string) => stream.replaceAll("response.completed", "response.done"),
    },
  ])("$name", async ({ wire, ...terms }) => {
    const { text, asked } = await heardOf(wire, terms);
    expect(asked).toBe(2);
    expect(text).not.toContain(sent.tool);
  });
});
