import type { View } from "./view.ts";

export const detectorNames = [
  "repeated-call",
  "call-cycle",
  "no-progress",
  "consecutive-failures",
  "unchanged-poll",
  "low-novelty",
  "repeated-message",
  "budget",
] as const;

export type DetectorName = (typeof detectorNames)[number];

/** One loop, seen at one step. */
export interface Finding {
  readonly detector: DetectorName;
  /** Which of the detector's ladders applies (`failing`, `send`, ...); undefined: its main one. */
  readonly grade?: string;
  /** The loop's identity: the same for every turn and rotation of the same loop. */
  readonly loop: string;
  readonly count: number;
  /** Indices of the steps that show it, oldest first. */
  readonly evidence: readonly number[];
  /** One sentence without any of the conversation's texts. */
  readonly note: string;
}

/** Pure: the same view gives the same findings, at most one for each of its ladders. */
export type Detector = (view: View) => readonly Finding[];
