import { defineDetector } from "../detector.ts";
import { evidenceAt, isKnownBy } from "../evidence.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { type ActingStep, indexedSteps, REACH, type Situation, toolsIn, viewOf } from "../view.ts";

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

const doubts: Readonly<Record<"acts" | "talk", Doubt>> = {
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

/** Of so many newest acts so many are known: a call that was made before, and a result of the same form. */
const SPAN = 8;
const KNOWN_ACTS = 2;

/** Of so many newest turns of talk so many say again what was said. */
const TURNS = 3;
const KNOWN_TURNS = 2;
/** From this share of known words on a text says again what was said. */
const SAID_AGAIN = 0.5;
/** The other side says little in so few words, or in words that it has used. */
const FEW_WORDS = 12;

/**
 * Whether the newest steps are worth a reader's look, in any language: far less than rules need to speak, for what they miss is
 * reworded, renumbered, or all talk. @param least from this sum of evidence on acts are in doubt
 */
export function doubtIn(situation: Situation, least: number): Doubt | undefined {
  const { window, action, actions } = viewOf(situation);
  if (action === undefined) return saysAgain(window) ? doubts.talk : undefined;
  return evidenceAt(actions).sum >= least || repeatsAct(actions) ? doubts.acts : undefined;
}

function repeatsAct(actions: readonly ActingStep[]): boolean {
  const newest = actions.slice(-SPAN).reverse();
  const known = newest.filter((_, ago) => isKnownAct(actions, actions.length - 1 - ago)).length;
  return known >= KNOWN_ACTS && isKnownAct(actions, actions.length - 1);
}

function isKnownAct(actions: readonly ActingStep[], at: number): boolean {
  const act = actions[at]?.fingerprint;
  const earlier = actions.slice(Math.max(0, at - REACH), at).map(({ fingerprint }) => fingerprint);
  if (act === undefined || earlier.every(({ callsHash }) => callsHash !== act.callsHash)) return false;
  const isLike = (one: CallFingerprint, other: CallFingerprint) =>
    one.tool === other.tool && one.outcome?.shape === other.outcome?.shape;
  return act.calls.some((call) => earlier.some(({ calls }) => calls.some((one) => isLike(one, call))));
}

function saysAgain(window: readonly Fingerprint[]): boolean {
  const from = window.findLastIndex(({ calls }) => calls.length > 0) + 1;
  if (window.length - from < TURNS) return false;
  const again = Array.from({ length: TURNS }, (_, ago) => isSaidAgain(window, window.length - 1 - ago, from));
  return again[0] === true && again.filter(Boolean).length >= KNOWN_TURNS;
}

/** @param from index of the first turn of this talk: what was heard before its first one is a task */
function isSaidAgain(window: readonly Fingerprint[], at: number, from: number): boolean {
  const said = window[at]?.saidSimilarity;
  const before = window.slice(0, at);
  const own = before.flatMap(({ saidSimilarity = [] }) => saidSimilarity);
  if (said !== undefined && !isKnownBy(said, own, SAID_AGAIN)) return false;
  return at <= from || hearsLittle(before);
}

function hearsLittle(before: readonly Fingerprint[]): boolean {
  const { heardWords = 0, heardSimilarity } = before.at(-1) ?? {};
  if (heardWords <= FEW_WORDS || heardSimilarity === undefined) return true;
  const others = before.slice(0, -1).flatMap(({ heardSimilarity: heard = [] }) => heard);
  return isKnownBy(heardSimilarity, others, SAID_AGAIN);
}

/** The identity of the loop that a change of a plan is told as. */
export function loopOfGoal(loop: string): string {
  return `goal-distance:${loop}`;
}

/** Goal distance: the outcome of a plan's scores; a policy without a judge has none. */
export const goalDistance = defineDetector({
  name: "goal-distance",
  grades: { met: "extra", option: "extra", revert: "extra", cancel: "extra" },
  tells: "plan",
  settings: {},
  detect(view) {
    const { goalChange, total } = view;
    if (goalChange === undefined) return [];
    const { kind, loop, count, ago, judgedAgo, course } = goalChange;
    const at = (steps: number) => Math.max(0, total - 1 - steps);
    const isOfPlan = kind === "met" || kind === "cancel";
    const about = at(ago);
    const score = course.after === undefined ? "not judged" : `${course.after} of 10`;
    return [
      {
        grade: kind,
        loop: loopOfGoal(loop),
        count,
        evidence: isOfPlan ? [0, total - 1] : [at(judgedAgo)],
        tools: isOfPlan ? [] : toolsIn(indexedSteps(view).filter((turn) => turn.at === about)),
        about,
        course,
        ...(kind === "met" ? { outcome: kind } : {}),
        // What a user says is the plan's task, or belongs to its state.
        evenIfUserSpoke: true,
        note: `${kind}, ${course.why ?? score}`,
      },
    ];
  },
});
