import { memoizeByRef } from "./memoize-by-ref.ts";

/** How detectors look at a window, where a policy may say so. Plain JSON. */
export interface DetectionSettings {
  readonly "repeated-call": {
    /** How far back repeats with other work between them are looked for, in acts; 1: only what comes in a row. */
    readonly window: number;
    /** What `window` is measured from: `here` (all repeats lie among the last acts) or the next `repeat` (each of them does). */
    readonly anchor: "here" | "repeat";
    /** How many repeats more are needed where other work lies between. */
    readonly gapPenalty: number;
    /** `same`: only the same outcome makes it a repeat; `any`: the calls alone are compared. */
    readonly outcome: "same" | "any";
    /** `any`: a turn is the set of its calls; `kept`: it is their sequence. */
    readonly order: "any" | "kept";
    /** `reset`: a change that landed in between starts afresh; `ignore`: it does not. */
    readonly changes: "reset" | "ignore";
    /** `leave`: waiting has a detector of its own; `count`: a wait is a call like any other. */
    readonly polls: "leave" | "count";
  };
  readonly "consecutive-failures": {
    /** A turn with several calls has failed if `all` of them or `any` of them failed; `reset`: it ends the row. */
    readonly multi: "all" | "any" | "reset";
    /** A shorter row is no finding, whatever the ladders say. */
    readonly least: number;
  };
  readonly "polite-closure": {
    /** Only messages shorter than this close, in characters. */
    readonly chars: number;
  };
  readonly "repeated-message": {
    /** From this share of common words on, 0 to 1, the messages of a dialogue are similar. */
    readonly alike: number;
    /** Messages of a dialogue with fewer words are acknowledgements and never similar. */
    readonly words: number;
  };
  readonly "retry-storm": {
    /** Within so many seconds the same request is one storm. */
    readonly seconds: number;
  };
}

/** What a policy may say: any of it, for any detector. */
export type DetectorSettings = { readonly [D in keyof DetectionSettings]?: Partial<DetectionSettings[D]> };

export const standardSettings: DetectionSettings = {
  "repeated-call": {
    window: 8,
    anchor: "here",
    gapPenalty: 1,
    outcome: "same",
    order: "any",
    changes: "reset",
    polls: "leave",
  },
  "consecutive-failures": { multi: "all", least: 3 },
  "polite-closure": { chars: 50 },
  "repeated-message": { alike: 0.8, words: 4 },
  "retry-storm": { seconds: 60 },
};

/** All settings, those that are left out as they are by default. */
export const settingsWith = memoizeByRef((chosen: DetectorSettings): DetectionSettings => {
  return {
    "repeated-call": { ...standardSettings["repeated-call"], ...chosen["repeated-call"] },
    "consecutive-failures": { ...standardSettings["consecutive-failures"], ...chosen["consecutive-failures"] },
    "polite-closure": { ...standardSettings["polite-closure"], ...chosen["polite-closure"] },
    "repeated-message": { ...standardSettings["repeated-message"], ...chosen["repeated-message"] },
    "retry-storm": { ...standardSettings["retry-storm"], ...chosen["retry-storm"] },
  };
});
