import { requestsOnly } from "../proxy/guard-rig.ts";
import { wireAgent, type WireAgentOptions } from "../support/agents/wire-agent.ts";
import type { Wire } from "../support/wires/wire.ts";
import type { Story } from "./stories.ts";
import type { StoryWay } from "./way.ts";

export async function played(
  { script, options, agent, play }: Story,
  wire: Wire,
  way: StoryWay,
  asking: Pick<WireAgentOptions, "stream"> = {},
): Promise<readonly string[]> {
  const on = await way(script, wire, { policy: requestsOnly(), mode: "enforce", ...options });
  const verdicts = await play(wireAgent(wire, { ...on, ...asking, ...agent }));
  if (process.env.TRACE !== undefined)
    for (const { bytes, answer } of on.upstream.requests) console.log(`asked: ${bytes}\nanswered: ${answer}\n`);
  return verdicts;
}
