import type { Finding } from "./detectors.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import { ENDLESS, UNTIL } from "./reading/requested-repeats.ts";
import { type ActingStep, type View, WINDOW } from "./view.ts";
import { passesTime, timesOf } from "./steps.ts";

/** So many repeats serve a wish without a number; whoever goes on is told, and never more than told. */
const LATE = 30;
/** What is waited for does not come nearer by what changes nothing. */
const LATE_UNTIL = 1;

/**
 * What is left of findings without the repeats that were wished for. A wish is served by one call, the first that has been made as
 * often as wished, or else the most frequent one, and a number of rounds by what is done between two of it, each as often; a wish
 * without one by a single call. Pauses in between serve it, too.
 */
export function beyondWish(findings: readonly Finding[], view: View): readonly Finding[] {
  const { requestedRepeats, action } = view;
  const isEndless = requestedRepeats >= ENDLESS;
  if (isEndless && failsForGood(action?.fingerprint)) return findings;
  const most = requestedRepeats === UNTIL ? LATE_UNTIL : isEndless ? LATE : requestedRepeats;
  const serving = servingActs(view, most, isEndless);
  return findings.flatMap((finding) => {
    const served = serving.filter(({ at }) => finding.evidence.includes(at));
    if (served.length < 2 || finding.limit !== undefined || finding.course !== undefined) return [finding];
    const times = [...timesOf(served.map(({ fingerprint }) => fingerprint)).values()];
    const wished = isEndless ? Math.min(most, served.length) : times.reduce((sum, n) => sum + Math.min(most, n), 0);
    // Who waits as asked is told at the usual count, that a longer wait would do, and no more.
    const lifted = isEndless && action?.polls === true ? 0 : wished;
    const { count, repeats } = finding;
    if (count - lifted < 2) return [];
    const left = { ...finding, count: count - lifted, ...(repeats !== undefined && { repeats: repeats - lifted }) };
    return [isEndless ? { ...left, wished: true as const } : left];
  });
}

function servingActs(view: View, most: number, isEndless: boolean): readonly ActingStep[] {
  const { actions } = view;
  const served = servedCall(view, most);
  const isServed = ({ fingerprint }: ActingStep) => fingerprint.callsHash === served;
  const [first, last] = [actions.findIndex(isServed), actions.findLastIndex(isServed)];
  const isInRound = (i: number) => !isEndless && i > first && i <= last + 1;
  return actions.filter((act, i) => isServed(act) || passesTime(act.fingerprint) || isInRound(i));
}

/** Of very many those that have left the window are done: a wish is served once. */
export function repeatsLeft(requestedRepeats: number, window: readonly Fingerprint[]): number {
  const isDone = requestedRepeats > LATE && requestedRepeats < ENDLESS && window.length === WINDOW;
  return isDone && !window.some(({ heard }) => heard === "user") ? requestedRepeats - 1 : requestedRepeats;
}

function servedCall({ actions }: View, most: number): string | undefined {
  const since = Math.max(
    0,
    actions.findLastIndex(({ newsBefore }) => newsBefore),
  );
  const acts = actions.slice(since).filter(({ fingerprint }) => !passesTime(fingerprint));
  const times = [...timesOf(acts.map(({ fingerprint }) => fingerprint))];
  const enough = Math.min(most, Math.max(...times.map(([, count]) => count)));
  return times.find(([, count]) => count >= enough)?.[0];
}

/** "Until it fails" ends there, and "until it works" wants something done about it; what passes by itself is waited for. */
function failsForGood(fingerprint: Fingerprint | undefined): boolean {
  return fingerprint?.calls.some(({ outcome }) => outcome?.failed === true && outcome.cause !== "transient") === true;
}
