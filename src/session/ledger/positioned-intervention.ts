import type { Intervention } from "./ledger.ts";

/** Positioned intervention: one whose step the request still carries, so that its note can be shown in its place. */
export interface PositionedIntervention {
  readonly intervention: Intervention;
  /** Index of that step in the request's conversation. */
  readonly step: number;
  /** Index of the step it speaks about; that step itself where the one it means is gone from the history. */
  readonly about: number;
  /** What a judge has said to it, where that is still known. */
  readonly said?: string;
}
