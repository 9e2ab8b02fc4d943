import type { Policy } from "../../src/index.ts";
import type { Script, Upstream } from "../support/servers/upstream.ts";
import type { Wire } from "../support/wires/wire.ts";
import { guardRig } from "../proxy/guard-rig.ts";

/** How a story's runs are guarded. */
export interface WayOptions {
  readonly policy: Policy;
  readonly mode: "enforce" | "observe";
}

/** Where an agent of the story sends its requests. Each answer says in `x-unloop-verdict` what was done. */
export interface PlayedOn {
  readonly url: string;
  readonly upstream: Upstream;
}

/** One way to be guarded: what stands between an agent and the scripted model. */
export type StoryWay = (script: Script, wire: Wire, options: WayOptions) => Promise<PlayedOn>;

export const throughProxy: StoryWay = (script, wire, options) => guardRig(script, options, wire);
