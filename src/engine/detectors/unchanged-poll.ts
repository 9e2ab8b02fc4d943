import { defineDetector } from "../detector.ts";
import { type ActingStep, toolsIn, toolsOf } from "../view.ts";

/** A call that waits for somebody else's progress, and finds none. Sleeping between two looks is part of waiting. */
export const unchangedPoll = defineDetector({
  name: "unchanged-poll",
  grades: {},
  settings: {},
  detect({ act, acts, asked }) {
    if (act === undefined || !act.polls) return [];
    const { looks, awaited } = unchangedLooks(acts, act);
    const count = looks.length - asked;
    if (count < 3) return [];
    return [
      {
        loop: `unchanged-poll:${awaited.join("|")}`,
        count,
        evidence: looks.map((look) => look.at),
        tools: toolsIn([act]),
        note: `${toolsOf(act.fingerprint)}: polled ${looks.length} times, nothing has changed`,
      },
    ];
  },
});

/** The same call's looks, back to where anything that was looked at had another answer; and what all of it waits for. */
function unchangedLooks(
  acts: readonly ActingStep[],
  act: ActingStep,
): { looks: readonly ActingStep[]; awaited: readonly string[] } {
  const looks: ActingStep[] = [];
  const answers = new Map<string, string>();
  const telling = new Set<string>();
  for (const earlier of [...acts].reverse()) {
    const { callsHash: call, outcomesHash } = earlier.fingerprint;
    if (!earlier.polls || (answers.get(call) ?? outcomesHash) !== outcomesHash) break;
    answers.set(call, outcomesHash);
    // A sleep waits for what is looked at after it, however long it is.
    if (earlier.fingerprint.calls.some((one) => one.outcome?.weight !== "nothing")) telling.add(call);
    if (call === act.fingerprint.callsHash) looks.unshift(earlier);
    if (earlier.userBefore) break;
  }
  return { looks, awaited: [...(telling.size > 0 ? telling : answers.keys())].sort() };
}
