import type { History } from "./history.ts";

/** Whether the goal judge is due for the newest step. @param near a loop may be about to close, so every step counts */
export function isDue({ taken, judged, keys }: History, lastKey: string, every: number, near: boolean): boolean {
  if (keys.at(-1) !== lastKey) return false;
  const since = taken - (judged?.of ?? 0);
  return since > 0 && (near || judged === undefined || since >= every);
}
