import type { Course } from "./goal.ts";
import type { DetectionSettings } from "./settings.ts";
import type { View } from "./view.ts";

/**
 * Every detector with its grades: kinds of its findings that may have a ladder of their own. A `refining` grade without
 * one goes by the detector's main ladder; an `extra` one is looked at only by policies that give it a ladder.
 */
export const grades = {
  "repeated-call": { failing: "refining", transient: "refining", send: "refining" },
  "call-cycle": { failing: "refining" },
  "no-progress": { failing: "refining", empty: "refining", walk: "refining" },
  "consecutive-failures": { alike: "refining", any: "refining" },
  "unchanged-poll": {},
  "low-novelty": {},
  "repeated-message": {
    announcement: "refining",
    refrain: "refining",
    corrected: "refining",
    similar: "extra",
    heard: "extra",
    explanation: "extra",
    "no-call": "extra",
  },
  "polite-closure": {},
  budget: { steps: "refining", tokens: "extra", cost: "extra", seconds: "extra" },
  "retry-storm": {},
  "goal-distance": { met: "extra", option: "extra", revert: "extra", cancel: "extra" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, "refining" | "extra">>>>;

export type DetectorName = keyof typeof grades;

export const detectorNames = Object.keys(grades) as readonly DetectorName[];

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
  /** The tools of those steps, each once, in no order of theirs; a few of them where they are many. */
  readonly tools: readonly string[];
  /** Index of the step that it speaks about, where that is not the last one. */
  readonly about?: number;
  /** How a plan went, where it is about one. */
  readonly course?: Course;
  /** It is made of the whole dialogue, or of all steps: that a user has just spoken is no reason to wait with it. */
  readonly whoeverSpoke?: true;
  /** One sentence without any of the conversation's texts. */
  readonly note: string;
}

/** Pure: the same view gives the same findings, at most one for each of its ladders. */
export type Detector = (view: View, settings: DetectionSettings) => readonly Finding[];
