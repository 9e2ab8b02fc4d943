import type { Alert } from "./alert.ts";

/** Loops that are remembered as told of; the oldest make room. */
const MAX_LOOPS = 10_000;

/** Subject of an alert: the same for every rung of one loop in one session, so that each loop is reported once. */
export function alertSubject({ session, sessionId, detector, loop, occasion }: Alert): string {
  return JSON.stringify([sessionId ?? session, detector, loop, occasion === "observe"]);
}

/** Lets the first alert about each loop of each session through. */
export function oncePerLoop(): (alert: Alert) => boolean {
  const keys = new Set<string>();
  return (alert) => {
    const subject = alertSubject(alert);
    if (keys.has(subject)) return false;
    keys.add(subject);
    for (const oldest of keys) {
      if (keys.size <= MAX_LOOPS) break;
      keys.delete(oldest);
    }
    return true;
  };
}
