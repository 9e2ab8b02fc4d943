import type { Policy } from "../../src/index.ts";
import type { Script, Upstream } from "../support/servers/upstream.ts";
import type { Wire } from "../support/wires/wire.ts";
import { guardRig } from "../proxy/guard-rig.ts";

export interface WayOptions {
  readonly policy: Policy;
  readonly mode: "enforce" | "observe";
}

export interface PlayedOn {
  readonly url: string;
  readonly upstream: Upstream;
}

export type StoryWay = (script: Script, wire: Wire, options: WayOptions) => Promise<PlayedOn>;

export const throughProxy: StoryWay = (script, wire, options) => guardRig(script, options, wire);
