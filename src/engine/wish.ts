import type { Finding } from "./detectors.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import { ENDLESS, UNTIL } from "./reading/requested-repeats.ts";
import { type View, WINDOW } from "./view.ts";
import { passesTime } from "./steps.ts";

/** So many repeats serve a wish without a number; whoever goes on is told, and never more than told. */
const LATE = 30;
/** What is waited for does not come nearer by what changes nothing. */
const LATE_UNTIL = 1;

/**
 * What is left of findings without the repeats that were wished for. A wish is served by one call, the first that has been made as
 * often as wished, or else the most frequent one; pauses in between serve it, too.
 */
export function beyondWish(findings: readonly Finding[], view: View): readonly Finding[] {
  const isEndless = view.requestedRepeats >= ENDLESS;
  const most = mostOf(view.requestedRepeats);
  const served = servedCall(view, most);
  if (isEndless && failsForGood(view.action?.fingerprint)) return findings;
  const serving = new Set(
    view.actions
      .filter(({ fingerprint }) => fingerprint.callsHash === served || passesTime(fingerprint))
      .map(({ at }) => at),
  );
  return findings.flatMap((finding) => {
    const repeats = finding.evidence.filter((at) => serving.has(at)).length;
    if (repeats < 2 || finding.limit !== undefined || finding.course !== undefined) return [finding];
    // Who waits as asked is told at the usual count, that a longer wait would do, and no more.
    const lifted = isEndless && view.action?.polls === true ? 0 : Math.min(most, repeats);
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
