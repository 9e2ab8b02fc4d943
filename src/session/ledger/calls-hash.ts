import { fingerprintOf } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Step } from "../../step.ts";

const NOTHING_HEARD: ReadonlySet<string> = new Set();

/** Signature of what a step calls, as a policy compares calls. */
export function callsHash(step: Step, sign: Sign, policy: Policy): string {
  return fingerprintOf(step, sign, policy.tools, NOTHING_HEARD).callsHash;
}
