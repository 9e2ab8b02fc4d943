import type { Policy } from "../policy-type.ts";
import { bare } from "./bare.ts";

/** Preset for planning agents: a goal judge scores each action; what brings the goal nearer is kept, the rest undone, and a hopeless plan cancelled. */
export const localPlanning: Policy = {
  ...bare,
  name: "local-planning",
  ladders: {
    "goal-distance:met": { "force-done": 1 },
    "goal-distance:option": { nudge: 1 },
    "goal-distance:revert": { nudge: 1 },
    "goal-distance:cancel": { "force-done": 1 },
  },
  judge: { asks: "goal" },
};
