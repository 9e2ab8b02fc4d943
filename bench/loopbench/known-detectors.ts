import { guard, references, type Rule, standardPolicy } from "../detection/rules.ts";
import { runawayScanner } from "../../src/runaway/runaway.ts";
import type { Rung } from "../../src/policy/policy.ts";
import type { Judged, LoopFlag } from "./ask-all.ts";
import type { Conversation, LabelledMessage } from "./conversations.ts";

/** A detector of this repository, asked in process. */
export interface KnownDetector {
  readonly name: string;
  judge(of: Conversation): Judged;
}

const VERDICTS: Readonly<Record<Rung, LoopFlag["verdict"]>> = {
  nudge: "nudge",
  "force-done": "force",
  "short-circuit": "end",
};

/** The restated rules of other agents, and the default policy. */
export function knownDetectors(): readonly KnownDetector[] {
  return [...references.map(fromRule), unloopDefault()];
}

function fromRule(rule: Rule): KnownDetector {
  return { name: rule.name, judge: (of) => ({ of, flags: upToEnd(flagsOf(rule, of)) }) };
}

/** Steps through the detectors, and each answer through the scanner that cuts off what repeats itself. */
function unloopDefault(): KnownDetector {
  const policy = standardPolicy();
  const rule = guard("unloop default", policy);
  const cuts = (text: unknown) =>
    policy.runaway !== "off" && typeof text === "string" && runawayScanner(policy.runaway).push(text) !== undefined;
  return {
    name: rule.name,
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
