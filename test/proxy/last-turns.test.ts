import { describe, expect, it } from "vitest";
import { type Json, objectIn } from "../../src/protocols/json/json.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire as wire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Asking, ModelView, Said } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

const policy = standard();
const laps = (count: number, turn: (lap: number) => readonly Said[]): readonly Said[] => [
  { who: "user", text: "How large is Paris?" },
  ...Array.from({ length: count }, (_, lap) => turn(lap)).flat(),
];

const labelled = {
  system: "Use this form:\nThought: think\nAction: one of [find]\nAction Input: the input\nFinal Answer: the answer",
  action: "Thought: I look.\nAction: find\nAction Input: Paris",
};
const acting = (action: string, count = 5) =>
  laps(count, () => [
    { who: "assistant", text: action },
    { who: "user", text: "Observation: Paris has 2 million people." },
  ]);

function begunIn(raw: unknown): string | undefined {
  const last = objectIn([objectIn(raw as Json).messages].flat().at(-1));
  return last.role === "assistant" ? String(last.content) : undefined;
}

/** @param rest what the model says that goes on where its turn is begun, and acts where it is not */
async function ended(rest: string, asking: Partial<Asking> = {}, spoken = wire) {
  const { system, action } = labelled;
  const script: Script = ({ view: { raw } }) => ({ kind: "text", text: begunIn(raw) === undefined ? action : rest });
  const rig = await guardRig(script, { policy }, spoken);
  const turn = await wireAgent(spoken, { ...rig, tools: [], system, said: acting(action), ...asking }).turn();
  return { turn, begun: begunIn(turn.received.at(-1)?.view.raw), upstream: rig.upstream };
}

describe("a turn of a text agent that is made to be the last", () => {
  it.each([true, false])("is begun as the agent writes it, and read with its beginning: stream %s", async (stream) => {
    const { turn, begun } = await ended(" 2 million people.", { stream });
    expect([begun, turn.heard.text]).toEqual(["Final Answer:", "Final Answer: 2 million people."]);
  });

  it.each([
    { said: "I know. Final Answer: 2 million.", stream: true },
    { said: "Thought: I look.\nAction: find\nAction Input: Rome", stream: false },
  ])("is as the model writes it, where that begins again or acts: $said", async ({ said, stream }) => {
    expect((await ended(said, { stream })).turn.heard.text).toBe(said);
  });

  it("is no answer where nothing follows", async () => {
    const { turn } = await ended(" ");
    expect(turn.headers.get("x-unloop-verdict")).toBe("short-circuit");
    expect(turn.heard.text).toContain("2 million people");
  });

  it("is begun where an answer would have gone on, too", async () => {
    const { turn, begun } = await ended("2 million.", { said: acting(labelled.action, 4), stream: true });
    expect(turn.headers.get("x-unloop-verdict")).toBe("force-done");
    expect([begun, turn.heard.text]).toEqual(["Final Answer:", "Final Answer: 2 million."]);
  });

  it("is not begun again where the API has refused that", async () => {
    const script: Script = ({ view: { raw } }) =>
      begunIn(raw) === undefined
        ? { kind: "text", text: "Final Answer: 2 million." }
        : { kind: "error", status: 400, message: "The last message must be the user's." };
    const rig = await guardRig(script, { policy }, wire);
    const { system, action } = labelled;
    const agent = () => wireAgent(wire, { ...rig, tools: [], system, said: acting(action) });
    const [first, second] = [await agent().turn(), await agent().turn()];
    for (const { heard } of [first, second]) expect(heard.text).toBe("Final Answer: 2 million.");
    expect(first.received.map(({ view }) => begunIn(view.raw))).toEqual(["Final Answer:", undefined]);
    expect(first.received.at(-1)?.bytes.toString()).toContain("[unloop]");
    expect(second.received.map(({ view }) => begunIn(view.raw))).toEqual([undefined]);
    expect(rig.logged).toContainEqual({ level: "warn", event: "change-refused", status: 400, instead: "change" });
  });

  it("is not begun where the API does not go on behind a turn", async () => {
    const { upstream } = await ended("2 million.", {}, geminiWire);
    expect(upstream.requests.map(({ bytes }) => bytes.toString()).join()).not.toContain('"Final Answer:"');
  });
});

describe("the end that a model gives", () => {
  const call = { tool: "search", args: '{"q":"Paris"}' };
  const calling = (count: number) =>
    laps(count, (lap) => [
      { who: "assistant", calls: [{ ...call, id: `c${lap}` }] },
      { who: "tool", id: `c${lap}`, text: "In the north." },
    ]);
  const text = (said: string) => () => ({ kind: "text", text: said }) as const;
  const thinking = (view: ModelView): ScriptedAnswer => {
    const said = wire.rendered(text("So far I have looked for it.")(), view, () => "1");
    return { ...said, pieces: said.pieces.map((one) => String(one).replaceAll('"content":', '"reasoning_content":')) };
  };

  async function answerTo(answer: (view: ModelView) => ScriptedAnswer, asking: Partial<Asking>) {
    const script: Script = ({ view }) => (view.forced ? answer(view) : { kind: "calls", calls: [call] });
    return wireAgent(wire, { ...(await guardRig(script, { policy }, wire)), ...asking }).turn();
  }

  // Made to finish by the request (five laps), and by the answer that would go on.
  it.each([
    { what: "thoughts", answer: thinking, count: 5, stream: true },
    { what: "nothing", answer: text(""), count: 5, stream: false },
    { what: "blanks", answer: text(" \n\n \t"), count: 4, stream: true },
  ])("is one in the guard's words where it is $what, after $count laps", async ({ answer, count, stream }) => {
    const { heard, headers } = await answerTo(answer, { said: calling(count), stream });
    expect(heard.text.match(/going in circles/g)).toHaveLength(1);
    expect([heard.calls, heard.error]).toEqual([[], undefined]);
    expect(headers.get("x-unloop-verdict")).toMatch(/force-done|short-circuit/);
  });

  it("passes as it is where it says something", async () => {
    const turn = await answerTo(text(" No rain."), { said: calling(5), stream: true });
    expect(turn.text).toBe(turn.received[0]?.answer.toString());
  });
});
