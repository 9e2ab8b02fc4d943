import type { Policy } from "../policy-type.ts";
import { bare } from "./bare.ts";

/** Ends a run whose turn makes the same calls as the two before it, whatever came back. */
export const duplicateCalls: Policy = {
  ...bare,
  name: "duplicate-calls",
  ladders: { "repeated-call": { "short-circuit": 3 } },
  detectors: { "repeated-call": { window: 1, outcome: "any", order: "kept", polls: "count" } },
  finalText: "own-text",
  // Other arguments are another call, whatever they are called.
  tools: { "*": { ignore: [] } },
};
