import { defineDetector, findingIn } from "../detector.ts";
import { hasSameOutcomes } from "../fingerprint/fingerprint.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { isSameState } from "../comparing/same-result.ts";
import { type ActingStep, toolsIn, toolNames } from "../view.ts";

/** Unchanged poll: a call that waits for somebody else's progress, and finds none. Sleeping between two looks is part of waiting. */
export const unchangedPoll = defineDetector({
  name: "unchanged-poll",
  grades: {},
  tells: "poll",
  settings: {},
  detect({ action, actions, requestedRepeats }) {
    if (action === undefined || !action.polls) return [];
    const { looks, awaited } = unchangedLooks(actions, action);
    const count = looks.length - requestedRepeats;
    if (count < 3) return [];
    const note = `${toolNames(action.fingerprint)}: polled ${looks.length} times, nothing has changed`;
    return [findingIn(looks, { loop: `unchanged-poll:${awaited.join("|")}`, count, tools: toolsIn([action]), note })];
  },
});

/** The same call's looks, back to where anything that was looked at had another answer; and what all of it waits for. */
function unchangedLooks(
  actions: readonly ActingStep[],
  action: ActingStep,
): { looks: readonly ActingStep[]; awaited: readonly string[] } {
  const looks: ActingStep[] = [];
  const answers = new Map<string, ActingStep>();
  const signatures = new Set<string>();
  for (const earlier of [...actions].reverse()) {
    const { callsHash: call } = earlier.fingerprint;
    const later = answers.get(call);
    if (!earlier.polls || (later !== undefined && !looksTheSame(earlier, later))) break;
    answers.set(call, earlier);
    // A sleep waits for what is looked at after it, however long it is.
    if (earlier.fingerprint.calls.some((one) => one.outcome?.weight !== "nothing")) signatures.add(call);
    if (call === action.fingerprint.callsHash) looks.unshift(earlier);
    if (earlier.userBefore) break;
  }
  return { looks, awaited: [...(signatures.size > 0 ? signatures : answers.keys())].sort() };
}

function looksTheSame({ fingerprint: a }: ActingStep, { fingerprint: b }: ActingStep): boolean {
  if (hasSameOutcomes(a, b)) return true;
  const again = (call: CallFingerprint) => (other: CallFingerprint) =>
    call.hash === other.hash && isSameState(call.outcome, other.outcome);
  return a.calls.length === b.calls.length && a.calls.every((call) => b.calls.some(again(call)));
}
