import { drawLane, drawnStep } from "../page/page.ts";
import { laneText } from "./lane-text.ts";
import { visible } from "./printable.ts";
import type { Played } from "./replay.ts";

/** One conversation's findings for people: a line for the conversation, its lane, and a line for each finding. */
export function textReport({ replayed, fingerprints, interventions }: Played, coloured: boolean): string {
  const { steps, findings } = replayed;
  const id = visible(replayed.id);
  if (findings.length === 0) return `${id}: ${steps} steps, no loop\n`;
  const acts = interventions.map(({ at, ...rest }) => ({ step: at, ...rest }));
  const lane = laneText(drawLane(fingerprints.map(drawnStep), acts), coloured);
  const lines = findings.map(
    ({ turn, rung, detector, note }) => `  turn ${turn}: ${rung} (${detector}) ${visible(note)}`,
  );
  const title = `${id}: ${steps} steps, ${findings.length === 1 ? "1 finding" : `${findings.length} findings`}`;
  return `${[title, `  ${lane}`, ...lines].join("\n")}\n`;
}
