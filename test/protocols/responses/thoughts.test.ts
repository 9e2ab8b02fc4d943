import { expect, it } from "vitest";
import { guardRig, standard } from "../../proxy/guard-rig.ts";
import type { RawAnswer, ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { finalText } from "../../support/agents/scripts.ts";
import type { ModelView } from "../../support/wires/wire.ts";
import { sendTool, wireAgent } from "../../support/agents/wire-agent.ts";
import { responsesWire } from "../../support/wires/responses.ts";

type Event = Record<string, unknown> & { readonly type: string; readonly response?: { output: unknown[] } };

let ids = 0;
const nextId = () => String(++ids);

/** A streamed answer with a thought before each of its items, as reasoning models give it. */
function thinking(answer: ScriptedAnswer, view: ModelView): RawAnswer {
  const raw = responsesWire.rendered(answer, view, nextId);
  const events = raw.pieces.flatMap((piece): readonly Event[] => {
    const data = /^data: (.*)$/m.exec(String(piece))?.[1];
    return data === undefined ? [] : thoughtful(JSON.parse(data));
  });
  const pieces = events.map(
    (event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
  return { ...raw, pieces };
}

const thoughts: Record<string, unknown>[] = [];

function thoughtful(event: Event): readonly Event[] {
  if (event.response !== undefined) {
    const output = event.response.output.flatMap((item, index) => [thoughts[index], item]);
    return [{ ...event, response: { ...event.response, output } }];
  }
  const at = Number(event.output_index);
  const moved = { ...event, output_index: 2 * at + 1 };
  if (event.type !== "response.output_item.added") return [moved];
  const output_index = 2 * at;
  const summary = [{ type: "summary_text", text: "What is next?" }];
  const thought = { type: "reasoning", id: `rs_${nextId()}`, summary, encrypted_content: "gAAA" };
  thoughts[at] = thought;
  const place = { item_id: thought.id, output_index, summary_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: { ...thought, summary: [] } },
    { type: "response.reasoning_summary_text.delta", ...place, delta: "What is next?" },
    { type: "response.output_item.done", output_index, item: thought },
    moved,
  ];
}

const call = { tool: "send_message", args: '{"text":"The database is healthy."}' };

it.each<{ name: string; words: string; kept: number }>([
  { name: "a call", words: "", kept: 0 },
  { name: "words and a call", words: "I will tell them.", kept: 1 },
])(
  "a thought goes where $name goes that it led to, since the API takes no thought back alone",
  async ({ words, kept }) => {
    const sending: ScriptedAnswer = { kind: "calls", calls: [call], ...(words && { text: words }) };
    const script = ({ view }: { readonly view: ModelView }, index: number) =>
      index < 2 ? thinking(sending, view) : ({ kind: "text", text: finalText } as const);
    const rig = await guardRig(script, { policy: standard() }, responsesWire);
    const agent = wireAgent(responsesWire, { ...rig, stream: true, tools: [sendTool], result: () => "Sent." });
    const [, second] = await agent.turns(2);
    const items = (second?.heard.entries ?? []) as readonly { readonly type: string }[];
    expect(items.filter(({ type }) => type === "reasoning")).toHaveLength(kept);
    expect(items.filter(({ type }) => type === "function_call")).toEqual([]);
    for (const [index, { type }] of items.entries())
      if (type === "reasoning") expect(items[index + 1]?.type).toBe("message");
  },
);

it("a healthy answer of thoughts passes byte for byte", async () => {
  const sending: ScriptedAnswer = { kind: "calls", calls: [call], text: "I will tell them." };
  const rig = await guardRig(({ view }) => thinking(sending, view), { policy: standard() }, responsesWire);
  const [first] = await wireAgent(responsesWire, { ...rig, stream: true, tools: [sendTool] }).turns(1);
  expect(first?.text).toBe(String(first?.received[0]?.answer));
});
