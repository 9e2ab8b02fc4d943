import type { Policy } from "../policy-type.ts";
import { bare } from "./bare.ts";

/** Three failing steps in a row force the run to its end, a fourth ends it; so does the same action on the same index. */
export const consecutiveFailuresPreset: Policy = {
  ...bare,
  name: "consecutive-failures",
  ladders: {
    "consecutive-failures:any": { "force-done": 3, "short-circuit": 4 },
    "repeated-call": { "short-circuit": 3 },
    // What fails again and again is the other ladder's: the model gets its final response.
    "repeated-call:failing": {},
    "repeated-call:transient": {},
    "budget:steps": { "short-circuit": 50 },
  },
  detectors: {
    "consecutive-failures": { multi: "reset", least: 1 },
    "repeated-call": { window: 1, outcome: "any-on-target", order: "kept", polls: "count" },
  },
  doneTools: ["done"],
  tools: { "*": { only: ["index"], denials: "fail" } },
};
