import type { Alert } from "./alert.ts";

/** Loops that are remembered as told of; the oldest make room. */
const MAX_LOOPS = 10_000;

/** Lets the first alert about each loop of each session through. */
export function oncePerLoop(): (alert: Alert) => boolean {
  const told = new Set<string>();
  return ({ session, detector, loop, occasion }) => {
    const key = JSON.stringify([session, detector, loop, occasion === "observe"]);
    if (told.has(key)) return false;
    told.add(key);
    for (const oldest of told) {
      if (told.size <= MAX_LOOPS) break;
      told.delete(oldest);
    }
    return true;
  };
}
