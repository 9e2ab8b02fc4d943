import type { Policy } from "../policy-type.ts";
import type { Ladder } from "../budget.ts";
import { bare } from "./bare.ts";

/** For what needs a judgement: two words, and an end only for a run that has heeded neither. */
const suspected: Ladder = { nudge: 5, "second-nudge": 10, "force-done": 16 };

/** Counts from 1,046 healthy and 79 looping recorded runs: twice is never a loop, three times is worth a word. */
export const standard: Policy = {
  ...bare,
  name: "default",
  finalText: "brief",
  ladders: {
    "repeated-call": { nudge: 3, "force-done": 5, "short-circuit": 7 },
    "repeated-call:failing": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "repeated-call:transient": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "repeated-call:send": { nudge: 2, "force-done": 3, "short-circuit": 4 },
    "repeated-call:unequal": { ...suspected, nudge: 3 },
    "call-cycle": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "call-cycle:failing": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "no-progress": suspected,
    "no-progress:failing": { ...suspected, nudge: 3 },
    "consecutive-failures:alike": { ...suspected, nudge: 4 },
    "consecutive-failures:any": { ...suspected, nudge: 6 },
    "unchanged-poll": { nudge: 5, "force-done": 20, "short-circuit": 30 },
    "low-novelty": { nudge: 18 },
    "storm:agents": { nudge: 24, "force-done": 96, "short-circuit": 300 },
    "storm:compactions": { nudge: 3, "force-done": 5, "short-circuit": 8 },
    "repeated-message": { nudge: 3, "force-done": 4, "short-circuit": 5 },
    "polite-closure": { "short-circuit": 3 },
    "polite-closure:echo": { ...suspected, nudge: 4 },
    "judged-loop": { nudge: 1, "force-done": 2 },
    "retry-storm": { "short-circuit": 6 },
    "repeated-message:refrain": { nudge: 3 },
    "repeated-message:pushed": { nudge: 4, "force-done": 6, "short-circuit": 8 },
    "repeated-message:reworded": suspected,
    "repeated-message:announcement": { ...suspected, nudge: 4 },
  },
  // Between models a farewell is a whole paragraph; what it says is judged, and three rounds of it are enough.
  detectors: { "polite-closure": { chars: 200 } },
  runaway: { shortLaps: 6, longLaps: 8, leastChars: 150 },
};
