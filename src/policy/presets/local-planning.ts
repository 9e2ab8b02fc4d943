import type { Policy } from "../terms.ts";
import { bare } from "./bare.ts";

/** Asks a judge how near the goal is: keeps what brought it nearer, has the rest tried out, then undone, and gives up what leads nowhere. */
export const localPlanning: Policy = {
  ...bare,
  name: "local-planning",
  ladders: {
    "goal-distance:met": { "force-done": 1 },
    "goal-distance:option": { nudge: 1 },
    "goal-distance:revert": { nudge: 1 },
    "goal-distance:cancel": { "force-done": 1 },
  },
  planning: { task: "latest", progress: 0.5, sameState: 3, falls: 3, maxSteps: 50, actions: [], reversals: {} },
  judge: { every: 1, maxCalls: 100, maxTokens: 500_000, excerpts: "redacted", excerptChars: 4_000 },
};
