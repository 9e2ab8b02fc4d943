import type { Placed } from "./follow.ts";
import type { Identity } from "./identify.ts";

/** When and where an intervention was made. */
export interface Occasion {
  readonly id: string;
  /** Unix time, seconds. */
  readonly created: number;
  readonly mode: string;
}

/** What the journal keeps of an intervention, as JSON: facts, no text of the conversation. */
export function journalEntry({ session }: Identity, { intervention }: Placed, occasion: Occasion): string {
  const { rung, detector, grade, count, at, note } = intervention;
  return JSON.stringify({ ...occasion, session, rung, detector, grade, count, step: at, note });
}
