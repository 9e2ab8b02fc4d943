import { play } from "../../src/cli/replay.ts";
import { runawayScanner } from "../../src/runaway/runaway.ts";
import { defaultPolicy } from "../../test/support/builders/detection.ts";
import type { Judged, LoopFlag } from "./ask-all.ts";
import type { Conversation } from "./conversations.ts";
import {
  actsAmong,
  anyOf,
  type PlainRule,
  repeatsAmong,
  sameActs,
  sameRepeats,
  stepCap,
  turningCycles,
  unchangedRows,
} from "./plain-rules.ts";

/** A detector of this repository, asked in process. */
export interface KnownDetector {
  readonly name: string;
  /** A few lines in the place of another's code. */
  readonly restated: boolean;
  judge(of: Conversation): Judged;
}

/** The restated rules of other agents with the numbers that they ship; `unloop default` is the last. */
export function knownDetectors(): readonly KnownDetector[] {
  return [
    restated("same call x3", sameActs(3)),
    restated("same call and result x3", sameRepeats(3)),
    restated("1-5 calls round and round x5", turningCycles({ longest: 5, laps: 5 })),
    restated("same result x4, error x3, text x3", unchangedRows({ results: 4, errors: 3, texts: 3, alternations: 3 })),
    restated("step cap 50", stepCap(50)),
    restated("same call x5", sameActs(5)),
    restated("5 of the last 10 calls", actsAmong({ times: 5, last: 10 })),
    restated("6 of the last 10 calls and results", repeatsAmong({ times: 6, last: 10 })),
    restated("1-12 calls round and round x3", turningCycles({ longest: 12, laps: 3 })),
    restated("same call x3, 2-4 calls x2", anyOf(sameActs(3), turningCycles({ shortest: 2, longest: 4, laps: 2 }))),
    unloopDefault(),
  ];
}

/** Such a rule knows one measure, which is to stop. */
function restated(name: string, firstTurn: PlainRule): KnownDetector {
  return {
    name,
    restated: true,
    judge(of) {
      const turn = firstTurn(of.messages);
      return { of, flags: turn === undefined ? [] : [{ turn, verdict: "end" }] };
    },
  };
}

const VERDICTS: Readonly<Record<string, LoopFlag["verdict"]>> = { "force-done": "force", "short-circuit": "end" };

/** Steps through the detectors, and each answer through the scanner that cuts off what repeats itself. */
function unloopDefault(): KnownDetector {
  const policy = defaultPolicy();
  const cuts = (text: unknown) =>
    policy.runaway !== "off" && typeof text === "string" && runawayScanner(policy.runaway).push(text) !== undefined;
  return {
    name: "unloop default",
    restated: false,
    judge(of) {
      const { findings = [] } = play(of.id, { messages: of.messages }, policy)?.replayed ?? {};
      const found = findings.map(
        ({ turn, rung, detector }): LoopFlag => ({ turn, verdict: VERDICTS[rung] ?? "nudge", reason: detector }),
      );
      const turns = of.messages.filter(({ role }) => role === "assistant");
      const cut = turns.flatMap(({ content }, turn): LoopFlag[] =>
        cuts(content) ? [{ turn, verdict: "end", reason: "runaway" }] : [],
      );
      return { of, flags: upToEnd([...found, ...cut].sort((a, b) => a.turn - b.turn)) };
    },
  };
}

/** A run that is ended has no further turns. */
function upToEnd(flags: readonly LoopFlag[]): readonly LoopFlag[] {
  const end = flags.findIndex(({ verdict }) => verdict === "end");
  return end < 0 ? flags : flags.slice(0, end + 1);
}
