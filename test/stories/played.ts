import { requestsOnly } from "../proxy/guard-rig.ts";
import { wireAgent, type WireAgentOptions } from "../support/agents/wire-agent.ts";
import type { Wire } from "../support/wires/wire.ts";
import { type Story, verdictsIn } from "./stories.ts";
import type { StoryWay } from "./way.ts";

/** Plays a story through a way. @param asking what all requests of its agents ask for @returns the verdict of each exchange */
export async function played(
  { script, options, agents = [{}], play }: Story,
  wire: Wire,
  way: StoryWay,
  asking: Pick<WireAgentOptions, "stream"> = {},
): Promise<readonly string[]> {
  const on = await way(script, wire, { policy: requestsOnly(), mode: "enforce", ...options });
  const running = agents.map((one) => wireAgent(wire, { ...on, ...asking, ...one }));
  const [first] = running;
  if (first === undefined) throw new Error("A story takes an agent.");
  return typeof play === "number" ? verdictsIn(first, play) : play(running);
}
