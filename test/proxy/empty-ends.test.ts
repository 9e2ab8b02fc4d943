import { describe, expect, it } from "vitest";
import { doneTool, searchTool, wireAgent } from "../support/agents/wire-agent.ts";
import { idMaker } from "../support/wires/id-maker.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Asking, ModelView, Said, Wire } from "../support/wires/wire.ts";
import { rowsFor } from "../contracts/protocol-requests.ts";
import { guardRig, standard } from "./guard-rig.ts";

const thought = "So far I have looked for rain.";
const nextId = idMaker();

/** An answer of words, with these made something that its reader does not read. */
function thinking(wire: Wire, view: ModelView, replaced: readonly (readonly [string, string])[]): ScriptedAnswer {
  const said = wire.rendered({ kind: "text", text: thought }, view, nextId);
  const pieces = said.pieces.map((piece) =>
    replaced.reduce((text, [from, to]) => text.replaceAll(from, to), String(piece)),
  );
  return { ...said, pieces };
}

/** Thoughts alone, as each format has them. */
const thoughts: Readonly<Record<Wire["name"], readonly (readonly [string, string])[]>> = {
  "chat-completions": [['"content":', '"reasoning_content":']],
  messages: [
    ['"type":"text"', '"type":"thinking","signature":"s"'],
    ['"text":', '"thinking":'],
    ["text_delta", "thinking_delta"],
  ],
  responses: [
    ['"type":"message"', '"type":"reasoning","summary":[]'],
    ["response.output_text", "response.reasoning_text"],
    ['"type":"output_text"', '"type":"reasoning_text"'],
  ],
  gemini: [['"text":', '"thought":true,"text":']],
  ollama: [['"content":', '"content":"","thinking":']],
};

const blank = (text: string) => () => ({ kind: "text", text }) as const;
const empties = [
  { what: "thoughts", answer: (view: ModelView, wire: Wire) => thinking(wire, view, thoughts[wire.name]) },
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

/** Made to finish by the request (five laps), and by the answer that would go on. */
const ways = [
  { count: 5, stream: true },
  { count: 5, stream: false },
  { count: 4, stream: true },
];

describe.each([
  chatCompletionsWire,
  messagesWire,
  responsesWire,
  geminiWire,
  geminiStreamWire,
  geminiArrayWire,
  ollamaWire,
])("over $name", (wire) => {
  /** The answer to a run of one call, by a model that says something else where it is made to finish. */
  async function answerTo(answer: (view: ModelView, wire: Wire) => ScriptedAnswer, asking: Partial<Asking>) {
    const script: Script = ({ view }) => (view.forced ? answer(view, wire) : { kind: "calls", calls: [call] });
    const rig = await guardRig(script, { policy: standard() }, wire);
    return wireAgent(wire, { ...rig, ...asking }).turn();
  }

  it.each(ways.flatMap((way) => rowsFor(wire, empties).map((row) => ({ ...row, ...way }))))(
    "an end of $what is one in the guard's words, after $count laps, stream $stream",
    async ({ answer, count, stream }) => {
      const { heard, headers } = await answerTo(answer, { said: laps(count), stream });
      expect(heard.text.match(/going in circles/g)).toHaveLength(1);
      expect(heard.calls).toEqual([]);
      expect(heard.error).toBeUndefined();
      expect(headers.get("x-unloop-verdict")).toMatch(/force-done|short-circuit/);
    },
  );

  it("is told by the tool that ends the run, where there is one", async () => {
    const { heard } = await answerTo(blank(""), { said: laps(5), stream: true, tools: [searchTool, doneTool] });
    expect(heard.calls).toMatchObject([{ tool: "done", args: expect.stringContaining("going in circles") }]);
  });

  it.each([true, false])("an end that says something passes as it is, stream %s", async (stream) => {
    const { text, received } = await answerTo(blank(" No rain."), { said: laps(5), stream });
    expect(text).toBe(received[0]?.answer.toString());
  });
});
