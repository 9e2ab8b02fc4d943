import { describe, expect, it } from "vitest";
import { objectIn } from "../../src/protocols/json/json.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import type { Asking, Said, Wire } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

const react =
  "Use this form:\nThought: think\nAction: one of [find]\nAction Input: the input\nFinal Answer: the answer";
const completion = "<attempt_completion>\n<result>\nYour result\n</result>\n</attempt_completion>";
const acting = "Thought: I look.\nAction: find\nAction Input: Paris";
const reading = "<read_file>\n<path>a</path>\n</read_file>";

interface Form {
  readonly name: string;
  readonly system: string;
  readonly action: string;
  readonly begun: string;
  readonly framed: (text: string) => string;
}

const labelled: Form = {
  name: "ReAct",
  system: react,
  action: acting,
  begun: "Final Answer:",
  framed: (text) => `Final Answer: ${text}`,
};
const forms: readonly Form[] = [
  labelled,
  {
    name: "a label of the instructions' own",
    system: react.replace("Final Answer", "Answer"),
    action: acting,
    begun: "Thought: I can answer without using any more tools.\nAnswer:",
    framed: (text) => `Thought: I can answer without using any more tools.\nAnswer: ${text}`,
  },
  {
    name: "elements of markup",
    system: completion,
    action: reading,
    begun: "<attempt_completion>\n<result>",
    framed: (text) => `<attempt_completion>\n<result>${text}</result>\n</attempt_completion>`,
  },
];

const laps = (action: string, count = 5): readonly Said[] => [
  { who: "user", text: "How large is Paris?" },
  ...Array.from({ length: count }, (): readonly Said[] => [
    { who: "assistant", text: action },
    { who: "user", text: "Observation: Paris has 2 million people." },
  ]).flat(),
];

/** How the request ends: what the model is to go on with, undefined where another one has spoken last. */
function begunIn(raw: unknown): string | undefined {
  const last = objectIn([objectIn(raw).messages].flat().at(-1));
  return last.role === "assistant" ? String(last.content) : undefined;
}

/** What a model says that goes on where its turn is begun, and acts where it is not. */
const goingOn =
  (rest: string, action: string): Script =>
  ({ view: { raw } }) => ({ kind: "text", text: begunIn(raw) === undefined ? action : rest });

async function ended(wire: Wire, { system, action }: Form, rest: string, asking: Partial<Asking> = {}) {
  const rig = await guardRig(goingOn(rest, action), { policy: standard() }, wire);
  const turn = await wireAgent(wire, { ...rig, tools: [], system, said: laps(action), ...asking }).turn();
  return { turn, begun: begunIn(turn.received.at(-1)?.view.raw), upstream: rig.upstream };
}

const wire = chatCompletionsWire;

describe("a turn that is made to be the last", () => {
  it.each(forms.map((form, at) => ({ ...form, stream: at % 2 === 0 })))(
    "is begun as the agent writes it, and read with its beginning: $name, stream $stream",
    async ({ stream, ...form }) => {
      const { turn, begun } = await ended(wire, form, " 2 million people.", { stream });
      expect(begun).toBe(form.begun);
      expect(turn.heard.text).toBe(form.framed("2 million people."));
    },
  );

  it.each([
    { said: "I know. Final Answer: 2 million.", stream: true },
    { said: "Thought: I look.\nAction: find\nAction Input: Rome", stream: false },
  ])("is as the model writes it, where that begins again or acts: $said", async ({ said, stream }) => {
    const { turn } = await ended(wire, labelled, said, { stream });
    expect(turn.heard.text).toBe(said);
  });

  it("is no answer where nothing follows", async () => {
    const { turn } = await ended(wire, labelled, " ");
    expect(turn.headers.get("x-unloop-verdict")).toBe("short-circuit");
    expect(turn.heard.text).toContain("2 million people");
  });

  it("is begun where an answer would have gone on, too", async () => {
    const { turn, begun } = await ended(wire, labelled, "2 million.", { said: laps(acting, 4), stream: true });
    expect(turn.headers.get("x-unloop-verdict")).toBe("force-done");
    expect([begun, turn.heard.text]).toEqual(["Final Answer:", "Final Answer: 2 million."]);
  });

  it("is not begun again where the API has refused that", async () => {
    const script: Script = ({ view: { raw } }) =>
      begunIn(raw) === undefined
        ? { kind: "text", text: "Final Answer: 2 million." }
        : { kind: "error", status: 400, message: "The last message must be the user's." };
    const rig = await guardRig(script, { policy: standard() }, wire);
    const agent = () => wireAgent(wire, { ...rig, tools: [], system: react, said: laps(acting) });
    const [first, second] = [await agent().turn(), await agent().turn()];
    for (const { heard } of [first, second]) expect(heard.text).toBe("Final Answer: 2 million.");
    expect(first.received.map(({ view }) => begunIn(view.raw))).toEqual(["Final Answer:", undefined]);
    expect(first.received.at(-1)?.bytes.toString()).toContain("[unloop]");
    expect(second.received.map(({ view }) => begunIn(view.raw))).toEqual([undefined]);
    expect(rig.logged).toContainEqual({ level: "warn", event: "change-refused", status: 400, instead: "change" });
  });

  it("is not begun where the API does not go on behind a turn", async () => {
    const { upstream } = await ended(geminiWire, labelled, "2 million.");
    expect(upstream.requests.map(({ bytes }) => bytes.toString()).join()).not.toContain('"Final Answer:"');
  });
});
