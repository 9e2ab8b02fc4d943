import type { Policy } from "../policy-type.ts";
import { stopAtOnce } from "../wording/wording.ts";
import { bare } from "./bare.ts";

/** Ends a dialogue that has nothing left but politeness, on whichever side of it the guard stands. */
export const userSimulator: Policy = {
  ...bare,
  name: "user-simulator",
  ladders: {
    "polite-closure": { "short-circuit": 2 },
    "repeated-message:similar": { "short-circuit": 3 },
    "repeated-message:heard": { "short-circuit": 3 },
    "repeated-message:exchange": { "short-circuit": 3 },
    "budget:steps": { "short-circuit": 30 },
  },
  stopSignal: "###STOP###",
  preamble: { text: stopAtOnce, when: "stop-signal" },
};
