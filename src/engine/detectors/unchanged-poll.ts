import { defineDetector, findingIn } from "../detector.ts";
import { isAnsweredAlike, relate } from "../relation.ts";
import { passesTime, toolNames } from "../steps.ts";
import { type ActingStep, toolsIn } from "../view.ts";

/** Unchanged poll: a call that waits for somebody else's progress, and finds none. Sleeping between two looks is part of waiting. */
export const unchangedPoll = defineDetector({
  name: "unchanged-poll",
  grades: {},
  tells: "poll",
  settings: {},
  detect({ action, actions }) {
    if (action === undefined || !action.polls) return [];
    const { looks, awaited } = unchangedLooks(actions, action);
    if (looks.length < 3) return [];
    const note = `${toolNames(action.fingerprint)}: polled ${looks.length} times, nothing has changed`;
    return [findingIn(looks, { loop: `unchanged-poll:${awaited.join("|")}`, tools: toolsIn([action]), note })];
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
  let looked = false;
  for (const earlier of [...actions].reverse()) {
    const { callsHash: call } = earlier.fingerprint;
    const later = answers.get(call);
    const passes = passesTime(earlier.fingerprint);
    if (!earlier.polls || (later !== undefined && !passes && !looksTheSame(earlier, later))) break;
    looked ||= !passes;
    answers.set(call, earlier);
    // A sleep waits for what is looked at after it, however long it is; between timers nothing is looked at.
    if (!passes && earlier.fingerprint.calls.some((one) => one.outcome?.weight !== "nothing")) signatures.add(call);
    if (call === action.fingerprint.callsHash || (!looked && isSameTimer(earlier, action))) looks.unshift(earlier);
    // The notice of a timer that the run has started itself starts nothing afresh; whoever is asked again to look, looks again.
    if (passes ? earlier.newsBefore : earlier.userBefore) break;
  }
  return { looks, awaited: signatures.size > 0 ? [...signatures].sort() : [toolNames(action.fingerprint)] };
}

function isSameTimer({ fingerprint: earlier }: ActingStep, { fingerprint: later }: ActingStep): boolean {
  return passesTime(earlier) && passesTime(later) && toolNames(earlier) === toolNames(later);
}

function looksTheSame({ fingerprint: a, work }: ActingStep, { fingerprint: b }: ActingStep): boolean {
  return isAnsweredAlike(a, b, (one, call) => relate(one, call, work, undefined, "state").result < 1);
}
