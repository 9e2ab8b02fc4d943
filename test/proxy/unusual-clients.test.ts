import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import {
  postTo,
  resultOf,
  searchTool,
  wireAgent,
  type WireAgentOptions,
  type WireTurn,
} from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire as chat } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { ollamaWire, ollamaWireWithIds } from "../support/wires/ollama.ts";
import type { Said, SaidCall, Wire } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

type React = (turn: WireTurn, said: Said[], at: number) => unknown;

async function played(
  model: Script,
  react: React,
  more: Partial<WireAgentOptions> & { wire?: Wire; count?: number } = {},
) {
  const { wire = chat, count = 5, ...asking } = more;
  const rig = await guardRig(model, { policy: standard() }, wire);
  const agent = wireAgent(wire, { ...rig, ...asking });
  const turns: WireTurn[] = [];
  while (turns.length < count) {
    const turn = await agent.again();
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(turn);
    if (react(turn, agent.said, turns.length) === false) break;
  }
  return turns;
}

const verdictsOf = (turns: readonly WireTurn[]) =>
  turns.map(({ headers }) => headers.get("x-unloop-verdict")).join(" ");
const standardEnd = "ok ok nudge ok force-done";
const task: Said = { who: "user", text: "What is the weather in Paris?" };
const calling = (tool: string, ...all: readonly object[]) =>
  ({ kind: "calls", calls: all.map((args) => ({ tool, args: JSON.stringify(args) })) }) as const;
const toldOf = (
  { heard: { entries, calls } }: WireTurn,
  text = "Rain in the morning, sun after noon.",
): readonly Said[] => [{ who: "heard", entries }, ...calls.map(({ id }): Said => ({ who: "tool", id, text }))];

const note = (turn: number): Said => ({
  who: "heard",
  entries: [{ role: "system", content: `Remaining steps: ${24 - turn}` }],
});

it.each<{ place: string; opening: Said[]; react: React }>([
  {
    place: "behind the task",
    opening: [task, note(0)],
    react: (turn, said, at) => said.splice(1, 1, note(at)) && said.push(...toldOf(turn)),
  },
  {
    place: "at the end",
    opening: [task, note(0)],
    react: (turn, said, at) => said.splice(-1, 1, ...toldOf(turn), note(at)),
  },
  {
    place: "at the end, from the second request on",
    opening: [task],
    react: (turn, said, at) => said.splice(at === 1 ? 1 : -1, 1, ...toldOf(turn), note(at)),
  },
])("a run whose harness adds an instruction that is new with each request ends as others do: $place", async (row) => {
  const turns = await played(looping("force-done"), row.react, { said: row.opening });
  expect(verdictsOf(turns)).toBe(standardEnd);
  expect(new Set(turns.map(({ headers }) => headers.get("x-unloop-session"))).size).toBe(1);
});

describe("a client that tells an answer's calls as steps of their own", () => {
  async function kept(keeps: (calls: readonly SaidCall[]) => readonly SaidCall[], queries: (turn: number) => string[]) {
    let turn = 0;
    const model: Script = ({ view: { forced } }) =>
      forced === undefined ? calling("search", ...queries(turn).map((q) => ({ q }))) : { kind: "text", text: "Done." };
    const turns = await played(
      model,
      ({ heard }, said, at) => {
        turn = at;
        for (const call of keeps(heard.calls))
          said.push({ who: "assistant", calls: [call] }, { who: "tool", id: call.id, text: resultOf(call) });
        return heard.calls.length > 0;
      },
      { count: 8, stream: true },
    );
    return verdictsOf(turns);
  }

  it.each([
    { keeps: "the last one of two", slice: [-1], queries: () => ["x", "y"] },
    { keeps: "the first one of two", slice: [0, 1], queries: () => ["x", "y"] },
    { keeps: "one that stays, where the other one changes", slice: [-1], queries: (turn: number) => [`n${turn}`, "x"] },
  ])("has a loop held back where it keeps $keeps", async ({ slice: [from, to], queries }) =>
    expect(await kept((calls) => calls.slice(from, to), queries)).toBe(standardEnd),
  );

  it.each([-1, 0])("is left alone where it keeps the one that changes, or all (%i)", async (from) =>
    expect(
      await kept(
        (calls) => calls.slice(from),
        (turn) => ["x", `n${turn}`],
      ),
    ).not.toContain("nudge"),
  );
});

describe("a history that holds the last call alone, and what came of it", () => {
  const failure = "Error: no index named weather.";
  const weather = () => calling("search", { q: "weather" });

  it.each([
    { wire: chat, fields: {} },
    { wire: ollamaWire, fields: {} },
    { wire: ollamaWire, fields: { "x-unloop-session": "s-1" } },
  ])("is a loop where the same call fails again and again: $wire.name $fields", async ({ wire, fields }) => {
    const react: React = (turn, said) => {
      said.splice(1, said.length, ...toldOf(turn, failure));
      return turn.heard.calls.length > 0;
    };
    const verdicts = verdictsOf(await played(weather, react, { wire, fields, count: 12 }));
    expect(verdicts).toMatch(/^ok ok nudge .*short-circuit$/);
  });

  it("is another run's where two begin alike, and go on from one answer each", async () => {
    const rig = await guardRig(weather, { policy: standard() }, ollamaWire);
    const ask = async (said: readonly Said[]) => {
      const turn = await postTo(ollamaWire, rig.url, JSON.stringify(ollamaWire.body({ said, tools: [searchTool] })));
      await new Promise((resolve) => setImmediate(resolve));
      return { ...turn, sent: "", received: [] };
    };
    const whole: Said[] = [task];
    for (let turn = 0; turn < 2; turn++) whole.push(...toldOf(await ask(whole), failure));
    // The first run has gone on from its second answer with all of its history: what others show is their own.
    await ask(whole);
    for (let run = 0; run < 4; run++) expect(verdictsOf([await ask(whole.slice(0, 3))])).toBe("ok");
  });
});

const refusal =
  "Correct your JSON ONLY RESPONSE, based on the following errors:\n1 validation error for Person\nage\n  Input should be a valid integer";

it.each([{}, { schema: { type: "object", properties: { age: { type: "integer" } } } }])(
  "a client that refuses each answer, and asks for JSON %j, is ended once, then by an error",
  async (schema) => {
    const react: React = ({ heard }, said) =>
      said.push({ who: "heard", entries: heard.entries }, { who: "user", text: refusal });
    const model: Script = () => ({ kind: "text", text: '{"age": "old"}' });
    const turns = await played(model, react, { count: 8, tools: [], ...schema });
    expect(verdictsOf(turns.slice(3, 6))).toBe("nudge force-done short-circuit");
    expect(turns.slice(5).map(({ status }) => status)).toEqual([200, 400, 400]);
  },
);

const string = { type: "string" };
const properties = { action: { ...string, enum: ["lookup", "final"] }, id: string, answer: string };
const schema = { type: "object", properties, required: ["action", "id", "answer"] };
const lookup = { action: "lookup", id: "x9", answer: "" };

it.each<{ as: string; asks: object; model: Script }>([
  {
    as: "a call",
    asks: { tools: [{ name: "Step", properties }], demands: { tool: "Step" } },
    model: () => calling("Step", lookup),
  },
  {
    as: "the answer's schema",
    asks: { tools: [], schema },
    model: () => ({ kind: "text", text: JSON.stringify(lookup) }),
  },
])(
  "an agent whose one tool is its next step is held back, and ended by its last one ($as)",
  async ({ asks, model }) => {
    const stepOf = ({ heard }: WireTurn) => heard.calls[0]?.args ?? heard.text;
    const react: React = (turn, said) =>
      said.push({ who: "assistant", text: stepOf(turn) }, { who: "user", text: '{"result":"It is of Ann."}' });
    const turns = await played(model, react, asks);
    expect(verdictsOf(turns)).toBe("ok ok nudge ok short-circuit");
    const last = JSON.parse(turns.slice(-1).map(stepOf).join());
    expect(last).toEqual({ action: "final", id: "", answer: expect.stringContaining("circles") });
  },
);

it.each([
  { wire: geminiWire, offered: "P-lookup", told: "P-lookup" },
  { wire: ollamaWireWithIds, offered: "P__lookup", told: "lookup" },
])("a tool that the history tells by another name is held back like any other ($offered, $told)", async (row) => {
  const { wire, offered, told } = row;
  const react: React = ({ heard }, said) => {
    for (const call of heard.calls)
      said.push(
        { who: "assistant", calls: [{ ...call, tool: told }] },
        { who: "tool", id: call.id, text: "Record x9." },
      );
  };
  const tools = [{ name: offered, properties: { q: string } }];
  const turns = await played(() => calling("P__lookup", { q: "x9" }), react, {
    wire,
    stream: wire !== geminiWire,
    tools,
  });
  expect(verdictsOf(turns)).toBe("ok ok nudge ok short-circuit");
});
