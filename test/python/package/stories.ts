import { looping } from "../../support/agents/scripts.ts";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { sendTool, type WireAgent, wireAgent, type WireAgentOptions } from "../../support/agents/wire-agent.ts";
import { climb, requestsOnly, standard } from "../../proxy/guard-rig.ts";
import type { Policy } from "../../../src/index.ts";
import type { Script, Upstream } from "../../support/servers/upstream.ts";
import type { Wire } from "../../support/wires/wire.ts";

export interface StoryTerms {
  readonly policy: Policy;
  readonly mode: "enforce" | "observe";
}

/** A front of the guard, with a model behind it. */
export type Front = (
  script: Script,
  wire: Wire,
  terms: StoryTerms,
) => Promise<{ readonly url: string; readonly upstream: Upstream }>;

export interface Story {
  readonly name: string;
  readonly script: Script;
  readonly terms?: Partial<StoryTerms>;
  readonly agent?: Omit<Partial<WireAgentOptions>, "url" | "upstream">;
  readonly play: (agent: WireAgent) => Promise<readonly string[]>;
  readonly verdicts: readonly string[];
}

const turns = (count: number) => async (agent: WireAgent) => {
  const verdicts: string[] = [];
  for (let i = 0; i < count; i += 1) verdicts.push((await agent.turn()).headers.get("x-unloop-verdict") ?? "none");
  return verdicts;
};

const sending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ text: "The database is healthy." }) }],
};
const resting: ScriptedAnswer = { kind: "text", text: "Done." };

/** A message that goes out, and what the model answers then: its second time is a loop. */
const intercepted = (name: string, answers: readonly ScriptedAnswer[], verdicts: readonly string[]): Story => ({
  name,
  script: (_, index) => [sending, ...answers][index] ?? resting,
  terms: { policy: standard() },
  agent: { tools: [sendTool], result: () => "Sent." },
  play: turns(verdicts.length),
  verdicts,
});

/** Fronts differ in transport: each has a loop, answers that are kept back, and an end that is lifted. */
export const stories: readonly Story[] = [
  { name: "a run that goes in circles", script: looping("nothing"), play: turns(7), verdicts: climb },
  {
    name: "a person's new word behind the end",
    script: looping("nothing"),
    async play(agent) {
      const before = await turns(7)(agent);
      agent.said.push({ who: "user", text: "Never mind Paris. Try Rome." });
      return [...before, ...(await turns(1)(agent))];
    },
    verdicts: [...climb, "ok"],
  },
  intercepted("an answer that would repeat a message, and does not", [sending, resting], ["ok", "nudge"]),
  intercepted("an answer that does it again and again", Array(5).fill(sending), ["ok", "nudge", "short-circuit"]),
];

export async function played(
  { script, terms, agent, play }: Story,
  wire: Wire,
  front: Front,
  asking: Pick<WireAgentOptions, "stream"> = {},
): Promise<readonly string[]> {
  const on = await front(script, wire, { policy: requestsOnly(), mode: "enforce", ...terms });
  return play(wireAgent(wire, { ...on, ...asking, ...agent }));
}
