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
  const isEndless = view.requestedRepeats >= ENDLESS;
  const most = mostOf(view.requestedRepeats);
  if (isEndless && failsForGood(view.action?.fingerprint)) return findings;
  const serving = servingActs(view, most, isEndless);
  return findings.flatMap((finding) => {
    const served = serving.filter(({ at }) => finding.evidence.includes(at));
    const times = [...timesOf(served.map(({ fingerprint }) => fingerprint)).values()];
    const repeats = times.reduce((sum, count) => sum + count, 0);
    if (repeats < 2 || finding.limit !== undefined || finding.course !== undefined) return [finding];
    const wished = isEndless ? Math.min(most, repeats) : times.reduce((sum, count) => sum + Math.min(most, count), 0);
    // Who waits as asked is told at the usual count, that a longer wait would do, and no more.
    const lifted = isEndless && view.action?.polls === true ? 0 : wished;
    const count = finding.count - lifted;
    if (count < 2) return [];
    return [
      {
        ...finding,
        count,
        ...(finding.repeats !== undefined && { repeats: finding.repeats - lifted }),
        ...(isEndless && { wished: true as const }),
      },
    ];
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

function mostOf(requested: number): number {
  if (requested === UNTIL) return LATE_UNTIL;
  return requested === ENDLESS ? LATE : requested;
}

function servedCall({ actions }: View, most: number): string | undefined {
  const times = new Map<string, number>();
  let served: string | undefined;
  const since = Math.max(
    0,
    actions.findLastIndex(({ newsBefore }) => newsBefore),
  );
  for (const { fingerprint } of actions.slice(since)) {
    if (passesTime(fingerprint)) continue;
    const count = (times.get(fingerprint.callsHash) ?? 0) + 1;
    times.set(fingerprint.callsHash, count);
    if (count >= most) return fingerprint.callsHash;
    if (served === undefined || count > (times.get(served) ?? 0)) served = fingerprint.callsHash;
  }
  return served;
}

/** "Until it fails" ends there, and "until it works" wants something done about it; what passes by itself is waited for. */
function failsForGood(fingerprint: Fingerprint | undefined): boolean {
  return fingerprint?.calls.some(({ outcome }) => outcome?.failed === true && outcome.cause !== "transient") === true;
}
