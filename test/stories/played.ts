import { requestsOnly } from "../proxy/guard-rig.ts";
import { type WireAgent, wireAgent, type WireAgentOptions } from "../support/agents/wire-agent.ts";
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
  if (process.env.TRACE !== undefined) running.map(printing);
  const [first] = running;
  if (first === undefined) throw new Error("A story takes an agent.");
  return typeof play === "number" ? verdictsIn(first, play) : play(running);
}

/** Prints each turn: what was sent, what the model was asked in its place, and what came back. */
function printing(agent: WireAgent): void {
  const again = agent.again.bind(agent);
  Object.assign(agent, {
    async again() {
      const turn = await again();
      const asked = turn.received.map(({ bytes }) => String(bytes)).filter((body) => body !== turn.sent);
      const lines = [`--> ${turn.sent}`, ...asked.map((body) => `    changed to ${body}`), `<-- ${turn.text}`];
      console.log(`${turn.headers.get("x-unloop-verdict")}\n${lines.join("\n")}`);
      return turn;
    },
  });
}
