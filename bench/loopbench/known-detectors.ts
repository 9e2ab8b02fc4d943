import { actsAmong, anyOf, repeatsAmong, sameActs, turningCycles } from "../detection/plain-rules.ts";
import { guard, plain, references, type Rule, standardPolicy } from "../detection/rules.ts";
import { runawayScanner } from "../../src/runaway/runaway.ts";
import type { Rung } from "../../src/policy/policy.ts";
import type { Judged, LoopFlag } from "./ask-all.ts";
import type { Conversation, LabelledMessage } from "./conversations.ts";

/** A detector of this repository, asked in process. */
export interface KnownDetector {
  readonly name: string;
  /** A few lines in the place of another's code. */
  readonly restated: boolean;
  judge(of: Conversation): Judged;
}

const VERDICTS: Readonly<Record<Rung, LoopFlag["verdict"]>> = {
  nudge: "nudge",
  "force-done": "force",
  "short-circuit": "end",
};

/** Rules of more agents, in a few lines each, with the numbers that they ship. */
const peers: readonly Rule[] = [
  plain("same call x5", sameActs(5)),
  plain("5 of the last 10 calls", actsAmong({ times: 5, last: 10 })),
  plain("6 of the last 10 calls and results", repeatsAmong({ times: 6, last: 10 })),
  plain("1-12 calls round and round x3", turningCycles({ longest: 12, laps: 3 })),
  plain("same call x3, 2-4 calls x2", anyOf(sameActs(3), turningCycles({ shortest: 2, longest: 4, laps: 2 }))),
];

/** The restated rules of other agents; `unloop default` is the last. */
export function knownDetectors(): readonly KnownDetector[] {
  return [...restatedRules(), unloopDefault()];
}

function restatedRules(): readonly KnownDetector[] {
  return [...references, ...peers].map(fromRule);
}

function fromRule(rule: Rule): KnownDetector {
  return { name: rule.name, restated: true, judge: (of) => ({ of, flags: upToEnd(flagsOf(rule, of)) }) };
}

/** Steps through the detectors, and each answer through the scanner that cuts off what repeats itself. */
function unloopDefault(): KnownDetector {
  const policy = standardPolicy();
  const rule = guard("unloop default", policy);
  const cuts = (text: unknown) =>
    policy.runaway !== "off" && typeof text === "string" && runawayScanner(policy.runaway).push(text) !== undefined;
  return {
    name: rule.name,
    restated: false,
    judge(of) {
      const turns = of.messages.filter(({ role }: LabelledMessage) => role === "assistant");
      const cut = turns.flatMap(({ content }, turn): LoopFlag[] =>
        cuts(content) ? [{ turn, verdict: "end", reason: "runaway" }] : [],
      );
      return { of, flags: upToEnd([...flagsOf(rule, of), ...cut].sort((a, b) => a.turn - b.turn)) };
    },
  };
}

function flagsOf(rule: Rule, of: Conversation): readonly LoopFlag[] {
  return rule.flags(of).map(({ turn, rung, by }) => ({ turn, verdict: VERDICTS[rung], reason: by }));
}

/** A run that is ended has no further turns. */
function upToEnd(flags: readonly LoopFlag[]): readonly LoopFlag[] {
  const end = flags.findIndex(({ verdict }) => verdict === "end");
  return end < 0 ? flags : flags.slice(0, end + 1);
}
