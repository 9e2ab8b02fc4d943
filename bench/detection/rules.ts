import { play } from "../../src/cli/replay.ts";
import { type Policy, presetNamed, type Rung } from "../../src/policy/policy.ts";
import { rungs } from "../../src/policy/budget.ts";
import type { Labelled } from "./data.ts";
import { sameActs, sameRepeats, stepCap, turningCycles, unchangedRows } from "./plain-rules.ts";

/** A rule's word against a conversation. */
export interface Flag {
  /** Index, among the assistant's messages, of the one that completed it. */
  readonly turn: number;
  readonly rung: Rung;
  /** Which detector said it; a plain rule has no parts. */
  readonly by: string;
}

export interface Rule {
  readonly name: string;
  readonly flags: (conversation: Labelled) => readonly Flag[];
}

/** What others do, in a few lines each: they know one measure, which is to stop. */
export const references: readonly Rule[] = [
  plain("same call x3", sameActs(3)),
  plain("same call and result x3", sameRepeats(3)),
  plain("1-5 calls round and round x5", turningCycles({ longest: 5, laps: 5 })),
  plain("same result x4, error x3, text x3", unchangedRows({ results: 4, errors: 3, texts: 3, alternations: 3 })),
  plain("step cap 50", stepCap(50)),
];

export function standardPolicy(): Policy {
  const policy = presetNamed("default");
  if (policy === undefined) throw new Error("There is no preset named default.");
  return policy;
}

export function guard(name: string, policy: Policy): Rule {
  return {
    name,
    flags: ({ id, messages }) =>
      (play(id, { messages }, policy)?.replayed.findings ?? []).map(({ turn, rung, detector }) => ({
        turn,
        rung: rungs.find((known) => known === rung) ?? "nudge",
        by: detector,
      })),
  };
}

export function plain(name: string, firstTurn: (messages: unknown) => number | undefined): Rule {
  return {
    name,
    flags: ({ messages }) => {
      const turn = firstTurn(messages);
      return turn === undefined ? [] : [{ turn, rung: "short-circuit", by: name }];
    },
  };
}
