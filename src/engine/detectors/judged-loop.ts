import { defineDetector } from "../detector.ts";
import { type DoubtKind, doubtKindIn } from "../evidence/doubt.ts";
import { indexedSteps, type Situation, toolsIn } from "../view.ts";

/** What rules alone cannot tell whether it goes in circles. */
export interface Doubt {
  /** The detector whose findings it may lead to, and the loop that these tell of. */
  readonly detector: string;
  readonly loop: string;
  /** It is about what is said; else about what is done. */
  readonly isTalk: boolean;
  /** One sentence without any of the conversation's texts. */
  readonly seen: string;
}

/** Judged loop: a reader of the newest steps says that they go in circles, though no rule does; a policy without a second opinion has none. */
export const judgedLoop = defineDetector({
  name: "judged-loop",
  grades: { talk: "refining" },
  tells: { main: "circles", talk: "circles-of-talk" },
  settings: {},
  needs: "opinion",
  detect(view) {
    const { judgement, total } = view;
    if (judgement === undefined) return [];
    const { loop, count, at } = judgement;
    const steps = indexedSteps(view);
    const isTalk = loop === doubts.talk.loop;
    // What a user has said since is an answer to what was done, and in talk a part of it.
    const isAnswered = steps.some((step) => step.at > at && step.at < total - 1 && step.fingerprint.heard === "user");
    if (!isTalk && isAnswered) return [];
    const shown = steps.filter((step) => step.at > at - SHOWN);
    return [
      {
        ...(isTalk && { grade: "talk", evenIfUserSpoke: true as const }),
        loop,
        count,
        evidence: shown.map((step) => step.at),
        ...(!isTalk && { about: view.actions.at(-1)?.at ?? total - 1 }),
        tools: isTalk ? [] : toolsIn(shown),
        note: `a judge says that the run goes in circles, ${count} times`,
      },
    ];
  },
});

/** The newest steps that a judge is shown, about. */
const SHOWN = 12;

const doubts: Readonly<Record<DoubtKind, Doubt>> = {
  acts: {
    detector: judgedLoop.name,
    loop: "judged-loop:acts",
    isTalk: false,
    seen: "no rule has spoken; some of the newest calls were made before and were answered alike",
  },
  talk: {
    detector: judgedLoop.name,
    loop: "judged-loop:talk",
    isTalk: true,
    seen: "no rule has spoken; the newest messages share many of their words with earlier ones",
  },
};

/** What a judge may be asked about a run's newest steps. @param least from this sum of evidence on acts are in doubt */
export function doubtIn(situation: Situation, least: number): Doubt | undefined {
  const kind = doubtKindIn(situation, least);
  return kind && doubts[kind];
}
