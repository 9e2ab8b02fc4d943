import { describe, expect, it } from "vitest";
import { wireAgent, type WireAgent, type WireTurn } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire as chat } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { ollamaWireWithIds } from "../support/wires/ollama.ts";
import { guardRig, standard } from "./guard-rig.ts";

const verdictOf = ({ headers }: WireTurn) => headers.get("x-unloop-verdict");
const policy = standard();
const refusal =
  "Correct your JSON ONLY RESPONSE, based on the following errors:\n1 validation error for Person\nage\n  Input should be a valid integer";
const string = { type: "string" };

/** As many turns, each followed by what the client makes of it. */
async function played(agent: WireAgent, count: number, react: (turn: WireTurn) => void) {
  const turns: WireTurn[] = [];
  for (let i = 0; i < count; i++) {
    const turn = await agent.again();
    turns.push(turn);
    react(turn);
  }
  return turns;
}

describe("a client that refuses each answer", () => {
  it.each([
    { name: "JSON", schema: undefined },
    { name: "JSON of a schema", schema: { type: "object", properties: { age: { type: "integer" } } } },
  ])("and asks for $name is ended once, then by an error", async ({ schema }) => {
    const rig = await guardRig(() => ({ kind: "text", text: '{"age": "old"}' }), { policy }, chat);
    const agent = wireAgent(chat, { ...rig, stream: false, tools: [], ...(schema && { schema }) });
    const turns = await played(agent, 8, ({ heard }) =>
      agent.said.push({ who: "heard", entries: heard.entries }, { who: "user", text: refusal }),
    );
    expect(turns.map(verdictOf).slice(3, 6)).toEqual(["nudge", "force-done", "short-circuit"]);
    expect(turns.slice(5).map(({ status }) => status)).toEqual([200, 400, 400]);
  });
});

describe("an agent whose one tool is its next step, told as JSON and a user's answer", () => {
  const properties = { action: { type: "string", enum: ["lookup", "final"] }, id: string, answer: string };
  const schema = { type: "object", properties, required: ["action", "id", "answer"] };
  const lookup = JSON.stringify({ action: "lookup", id: "x9", answer: "" });

  it.each([
    { as: "a call", asks: { tools: [{ name: "Step", properties }], demands: { tool: "Step" } } },
    { as: "the answer's schema", asks: { tools: [], schema } },
  ])("is held back at the third equal step and ended by its last one ($as)", async ({ as, asks }) => {
    const rig = await guardRig(
      () =>
        as === "a call" ? { kind: "calls", calls: [{ tool: "Step", args: lookup }] } : { kind: "text", text: lookup },
      { policy },
      chat,
    );
    const agent = wireAgent(chat, { ...rig, stream: false, ...asks });
    const said = ({ heard }: WireTurn) => heard.calls[0]?.args ?? heard.text;
    const turns = await played(agent, 5, (turn) =>
      agent.said.push({ who: "assistant", text: said(turn) }, { who: "user", text: '{"result":"It is of Ann."}' }),
    );
    expect(turns.map(verdictOf)).toEqual(["ok", "ok", "nudge", "ok", "short-circuit"]);
    const [last] = turns.slice(-1).map(said);
    expect(JSON.parse(last ?? "")).toEqual({ action: "final", id: "", answer: expect.stringContaining("circles") });
  });
});

describe("a tool that the history tells by another name", () => {
  it.each([
    { wire: geminiWire, offered: "P-lookup", told: "P-lookup" },
    { wire: ollamaWireWithIds, offered: "P__lookup", told: "lookup" },
  ])("is held back like any other ($offered, told as $told)", async ({ wire, offered, told }) => {
    const called = { kind: "calls", calls: [{ tool: "P__lookup", args: '{"q":"x9"}' }] } as const;
    const rig = await guardRig(() => called, { policy }, wire);
    const tools = [{ name: offered, properties: { q: string } }];
    const agent = wireAgent(wire, { ...rig, stream: wire !== geminiWire, tools });
    const turns = await played(agent, 5, ({ heard }) => {
      for (const call of heard.calls) {
        agent.said.push({ who: "assistant", calls: [{ ...call, tool: told }] });
        agent.said.push({ who: "tool", id: call.id, text: "Record x9." });
      }
    });
    expect(turns.map(verdictOf)).toEqual(["ok", "ok", "nudge", "ok", "short-circuit"]);
  });
});
