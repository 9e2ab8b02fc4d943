import { NO_FIGURES } from "../comparing/figures.ts";
import { tellsTheSame } from "../comparing/telling.ts";
import type { ActingStep } from "../view.ts";

/** Fewer words say too little of what is wrong: only the same ones, at the same check, are the same complaint. */
const LEAST_WORDS = 8;

/** Checks, by whatever command, that complain in the same words though something was changed between each and the next, oldest first. */
export function unmovedChecks(actions: readonly ActingStep[], action: ActingStep): readonly ActingStep[] {
  if (!isComplaint(action)) return [];
  const matches: ActingStep[] = [action];
  let hasChanged = false;
  for (let i = actions.length - 2; i >= 0; i--) {
    const earlier = actions[i];
    if (earlier === undefined || actions[i + 1]?.userBefore === true) break;
    if (earlier.landed) hasChanged = true;
    const isAlike = complainsAlike(earlier, action);
    if (!isAlike && earlier.fingerprint.callsHash !== action.fingerprint.callsHash) continue;
    if (!hasChanged || !isAlike) break;
    matches.unshift(earlier);
    hasChanged = false;
  }
  return matches;
}

function isComplaint({ fingerprint: { calls } }: ActingStep): boolean {
  const [call] = calls;
  if (calls.length !== 1 || call?.kind !== "other" || call.outcome === undefined) return false;
  const { failed, complains, words } = call.outcome;
  // A check that fails in a few words does not say of what.
  return failed ? words >= LEAST_WORDS : complains === true;
}

function complainsAlike({ fingerprint: a }: ActingStep, { fingerprint: b }: ActingStep): boolean {
  const [one, other] = [a.calls[0], b.calls[0]];
  if (one === undefined || other?.outcome === undefined || one.tool !== other.tool) return false;
  if (other.outcome.words < LEAST_WORDS) return one.hash === other.hash && one.outcome?.hash === other.outcome.hash;
  return tellsTheSame(one, other, () => NO_FIGURES);
}
