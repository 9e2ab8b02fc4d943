import { healthy, looping } from "../support/agents/scripts.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Said, SaidCall } from "../support/wires/wire.ts";
import { sendTool, type WireAgent, type WireAgentOptions } from "../support/agents/wire-agent.ts";
import { standard } from "../proxy/guard-rig.ts";
import type { WayOptions } from "./way.ts";

/** One run, or several, and the verdict of each exchange; told once, and the same however it is guarded. */
export interface Story {
  readonly name: string;
  readonly script: Script;
  readonly options?: Partial<WayOptions>;
  /** Runs in the order of their turns; one with the standard agent without it. */
  readonly agents?: readonly AgentsOptions[];
  /** What happens: turns of the first agent without it. */
  readonly play: number | ((agents: readonly WireAgent[]) => Promise<readonly string[]>);
  /** The verdict of each exchange. */
  readonly verdicts: readonly string[];
  readonly isForEachFront?: true;
}

type AgentsOptions = Omit<Partial<WireAgentOptions>, "url" | "upstream">;

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const session = (name: string) => ({ fields: { "x-unloop-session": name } });

export async function verdictsIn(agent: WireAgent, turns: number): Promise<readonly string[]> {
  const verdicts: string[] = [];
  for (let i = 0; i < turns; i += 1) verdicts.push((await agent.turn()).headers.get("x-unloop-verdict") ?? "none");
  return verdicts;
}

const again = async (agent: WireAgent) => (await agent.again()).headers.get("x-unloop-verdict") ?? "none";

function call(id: string, args = '{"q":"Paris"}', tool = "search"): SaidCall {
  return { id, tool, args };
}

/** A history as a client might have kept it. @param turns what each turn called, and what came back */
function told(opening: string, turns: readonly (readonly [SaidCall, string])[]): readonly Said[] {
  return [
    { who: "user", text: opening },
    ...turns.flatMap(([one, text]): readonly Said[] => [
      { who: "assistant", calls: [one] },
      { who: "tool", id: one.id, text },
    ]),
  ];
}

function times(count: number, turn: (index: number) => readonly [SaidCall, string]) {
  return Array.from({ length: count }, (_, index) => turn(index + 1));
}

/** A history that is asked about once. */
function asked(name: string, said: readonly Said[], verdict: string, options: AgentsOptions = {}): Story {
  return { name, script: healthy(0), agents: [{ said, ...options }], play: 1, verdicts: [verdict] };
}

const sending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ text: "The database is healthy." }) }],
};
const otherSending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ text: "The database is slow." }) }],
};
const resting: ScriptedAnswer = { kind: "text", text: "Done." };

/** A message that goes out, and what the model answers then: its second time is a loop. */
function intercepted(name: string, answers: readonly ScriptedAnswer[], verdicts: readonly string[]): Story {
  return {
    name,
    script: (_, index) => [sending, ...answers][index] ?? resting,
    options: { policy: standard() },
    agents: [{ tools: [sendTool], result: () => "Sent." }],
    play: verdicts.length,
    verdicts,
  };
}

const inTurn =
  (turns: number) =>
  async (agents: readonly WireAgent[]): Promise<readonly string[]> => {
    const verdicts: string[] = [];
    for (let i = 0; i < turns; i += 1) for (const one of agents) verdicts.push(...(await verdictsIn(one, 1)));
    return verdicts;
  };

const alone =
  (play: (agent: WireAgent) => Promise<readonly string[]>) =>
  (agents: readonly WireAgent[]): Promise<readonly string[]> => {
    const [agent] = agents;
    if (agent === undefined) throw new Error("There is no agent.");
    return play(agent);
  };

export const stories: readonly Story[] = [
  { name: "a healthy run", script: healthy(6), play: 7, verdicts: Array(7).fill("ok") },
  { name: "a run that goes in circles", script: looping("nothing"), play: 7, verdicts: climb, isForEachFront: true },
  {
    name: "a person's new word behind the end",
    script: looping("nothing"),
    play: alone(async (agent) => {
      const before = await verdictsIn(agent, 7);
      agent.said.push({ who: "user", text: "Never mind Paris. Try Rome." });
      return [...before, ...(await verdictsIn(agent, 1))];
    }),
    verdicts: [...climb, "ok"],
    isForEachFront: true,
  },
  {
    name: "a word that only says go on",
    script: looping("nothing"),
    play: alone(async (agent) => {
      const before = await verdictsIn(agent, 3);
      agent.said.push({ who: "user", text: "continue" });
      return [...before, ...(await verdictsIn(agent, 1))];
    }),
    verdicts: ["ok", "ok", "ok", "nudge"],
  },
  {
    name: "each request sent twice",
    script: looping("nothing"),
    agents: [session("twice")],
    play: alone(async (agent) => {
      const verdicts: string[] = [];
      for (let i = 0; i < 7; i += 1) verdicts.push(await again(agent), ...(await verdictsIn(agent, 1)));
      return verdicts;
    }),
    verdicts: climb.flatMap((verdict) => [verdict, verdict]),
  },
  {
    name: "two sub-agents of one session",
    script: looping("nothing"),
    agents: [
      { ...session("together"), system: "You plan." },
      { ...session("together"), system: "You search." },
    ],
    play: inTurn(4),
    verdicts: climb.slice(0, 4).flatMap((verdict) => [verdict, verdict]),
  },
  {
    name: "a history cut down to a summary and its last turn",
    script: looping("nothing"),
    agents: [session("summed-up")],
    play: alone(async (agent) => {
      const before = await verdictsIn(agent, 3);
      agent.said.splice(0, agent.said.length - 2, { who: "user", text: "What is the weather in Paris?" });
      return [...before, ...(await verdictsIn(agent, 1))];
    }),
    verdicts: climb.slice(0, 4),
  },
  {
    name: "an outcome that comes late",
    script: healthy(0),
    agents: [
      {
        ...session("late"),
        said: [
          ...told(
            "What is the weather?",
            times(2, (turn) => [call(`call_${turn}`), "Rain."]),
          ),
          { who: "assistant", calls: [call("call_3")] },
        ],
      },
    ],
    play: alone(async (agent) => {
      const before = await again(agent);
      agent.said.push({ who: "tool", id: "call_3", text: "Rain." });
      return [before, await again(agent)];
    }),
    verdicts: ["ok", "nudge"],
  },
  asked(
    "parallel calls, their outcomes in any order",
    [
      { who: "user", text: "Compare Paris and Rome." },
      ...[1, 2, 3].flatMap((turn): readonly Said[] => {
        const outcomes: readonly Said[] = [
          { who: "tool", id: `call_a${turn}`, text: "Paris: rain." },
          { who: "tool", id: `call_b${turn}`, text: "Rome: sun." },
        ];
        const calls = [call(`call_a${turn}`), call(`call_b${turn}`, '{"q":"Rome"}')];
        return [{ who: "assistant", calls }, ...(turn === 2 ? outcomes.toReversed() : outcomes)];
      }),
    ],
    "nudge",
  ),
  intercepted(
    "an answer that would send a message twice, and thinks better of it",
    [sending, resting],
    ["ok", "nudge"],
  ),
  intercepted("an answer that would, and sends another one", [sending, otherSending], ["ok", "nudge"]),
  intercepted("an answer that sends another message", [otherSending], ["ok", "ok"]),
  {
    ...intercepted(
      "an answer that does it again and again",
      [sending, sending, sending, sending, sending],
      ["ok", "nudge", "short-circuit"],
    ),
    isForEachFront: true,
  },
];
