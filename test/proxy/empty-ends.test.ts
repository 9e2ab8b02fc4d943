import { expect, it } from "vitest";
import { wireAgent } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Asking, ModelView, Said } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

const wire = chatCompletionsWire;

/** An answer of thoughts alone. */
function thinking(view: ModelView): ScriptedAnswer {
  const said = wire.rendered({ kind: "text", text: "So far I have looked for rain." }, view, () => "1");
  return {
    ...said,
    pieces: said.pieces.map((piece) => String(piece).replaceAll('"content":', '"reasoning_content":')),
  };
}

const blank = (text: string) => () => ({ kind: "text", text }) as const;
const empties = [
  { what: "thoughts", answer: thinking },
  { what: "nothing", answer: blank("") },
  { what: "blanks", answer: blank(" \n\n \t") },
];

const call = { tool: "search", args: '{"q":"rain"}' };
const laps = (count: number): readonly Said[] => [
  { who: "user", text: "Where does it rain?" },
  ...Array.from({ length: count }, (_, lap): readonly Said[] => [
    { who: "assistant", calls: [{ ...call, id: `c${lap}` }] },
    { who: "tool", id: `c${lap}`, text: "In the north." },
  ]).flat(),
];

/** The answer to a run of one call, by a model that says something else where it is made to finish. */
async function answerTo(answer: (view: ModelView) => ScriptedAnswer, asking: Partial<Asking>) {
  const script: Script = ({ view }) => (view.forced ? answer(view) : { kind: "calls", calls: [call] });
  const rig = await guardRig(script, { policy: standard() }, wire);
  return wireAgent(wire, { ...rig, ...asking }).turn();
}

/** Made to finish by the request (five laps), and by the answer that would go on. */
it.each([
  { ...empties[0], count: 5, stream: true },
  { ...empties[1], count: 5, stream: false },
  { ...empties[2], count: 4, stream: true },
])("an end of $what is one in the guard's words, after $count laps, stream $stream", async (row) => {
  const { answer = blank(""), count, stream } = row;
  const { heard, headers } = await answerTo(answer, { said: laps(count), stream });
  expect(heard.text.match(/going in circles/g)).toHaveLength(1);
  expect([heard.calls, heard.error]).toEqual([[], undefined]);
  expect(headers.get("x-unloop-verdict")).toMatch(/force-done|short-circuit/);
});

it("an end that says something passes as it is", async () => {
  const { text, received } = await answerTo(blank(" No rain."), { said: laps(5), stream: true });
  expect(text).toBe(received[0]?.answer.toString());
});
