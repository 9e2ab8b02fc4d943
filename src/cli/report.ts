import type { Replayed } from "./replay.ts";

/** One conversation's findings for people: a line for the conversation, one for each finding. */
export function textReport({ id, steps, findings }: Replayed): string {
  if (findings.length === 0) return `${id}: ${steps} steps, no loop\n`;
  const lines = findings.map(({ turn, rung, detector, note }) => `  turn ${turn}: ${rung} (${detector}) ${note}`);
  return `${id}: ${steps} steps, ${findings.length === 1 ? "1 finding" : `${findings.length} findings`}\n${lines.join("\n")}\n`;
}
