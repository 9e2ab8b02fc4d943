import { defineDetector, type Sighting } from "../detector.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { nearlyEqual } from "../sketch.ts";
import { trailing, type IndexedStep, indexedSteps, type View } from "../view.ts";
import { dialogue, dialogueSettings } from "./dialogue.ts";

/** So short a reply to a user with news is an acknowledgement, not a repetition. In words. */
const SHORT = 4;
/** How far back a refrain is looked for. In steps. */
const REACH = 24;

/** The same text, or none, or one more announcement, turn after turn; or the same answer whatever the user says. */
export const repeatedMessage = defineDetector({
  name: "repeated-message",
  grades: {
    announcement: "refining",
    refrain: "refining",
    corrected: "refining",
    similar: "extra",
    heard: "extra",
    explanation: "extra",
    "no-call": "extra",
  },
  settings: dialogueSettings,
  predicts: { by: "words", grades: ["explanation"] },
  detect(view, settings) {
    const last = view.window.at(-1);
    if (last === undefined) return [];
    const extra = dialogue(view, last, settings).map((seen) => ({ ...seen, loop: `repeated-message:${seen.loop}` }));
    if (last.calls.length > 0) return extra;
    const row = talk(view, (fingerprint) => isSame(fingerprint, last));
    const announced = last.announces ? sinceUser(talk(view, (print) => print.announces)) : [];
    const found = [
      finding(undefined, `repeated-message:${last.said === "" ? "empty" : last.said}`, row, countOf(row)),
      finding("announcement", "repeated-message:announcement", announced, announced.length),
      ...refrain(view, last),
      ...corrected(view, last),
    ];
    return [...found.filter(({ count }) => count >= 2), ...extra];
  },
});

function finding(grade: string | undefined, loop: string, turns: readonly IndexedStep[], count: number): Sighting {
  return {
    ...(grade === undefined ? {} : { grade }),
    loop,
    count,
    evidence: turns.map(({ at }) => at),
    tools: [],
    note: noteOf(grade, turns.length),
  };
}

function noteOf(grade: string | undefined, count: number): string {
  if (grade === "announcement") return `${count} announcements, no action`;
  return grade === "corrected" ? `${count} answers, each corrected alike` : `the same message, ${count} times`;
}

/** A sentence that comes back word for word, whatever was done or said in between. */
function refrain(view: View, last: Fingerprint): readonly Sighting[] {
  if (last.saidWords <= SHORT) return [];
  const turns = indexedSteps(view)
    .slice(-REACH)
    .filter(({ fingerprint }) => fingerprint.calls.length === 0 && fingerprint.said === last.said);
  return [finding("refrain", `repeated-message:refrain:${last.said}`, turns, turns.length)];
}

/** Whatever is said, the harness has the same to say about its form. */
function corrected(view: View, last: Fingerprint): readonly Sighting[] {
  const heard = last.heardHashes.at(-1);
  if (last.corrected !== true || heard === undefined) return [];
  const turns = talk(view, (fingerprint) => fingerprint.corrected === true && fingerprint.heardHashes.at(-1) === heard);
  return [finding("corrected", `repeated-message:corrected:${heard}`, turns, turns.length)];
}

/** The last turns without calls that are like it. */
function talk(view: View, isLike: (fingerprint: Fingerprint) => boolean): readonly IndexedStep[] {
  return trailing(view, (print) => print.calls.length === 0 && isLike(print));
}

/** What was announced to a user who then spoke is a conversation. */
function sinceUser(turns: readonly IndexedStep[]): readonly IndexedStep[] {
  return turns.slice(turns.slice(0, -1).findLastIndex(({ fingerprint }) => fingerprint.heard === "user") + 1);
}

/** A user with news raises the bar; a short answer to each, or one in the same mould, is no repetition at all. */
function countOf(turns: readonly IndexedStep[]): number {
  const users = turns.slice(0, -1).filter(({ fingerprint }) => isAsked(fingerprint)).length;
  if (users === 0) return turns.length;
  const verbatim = new Set(turns.map(({ fingerprint }) => fingerprint.said)).size === 1;
  const short = turns.some(({ fingerprint }) => fingerprint.saidWords < SHORT);
  return turns.length - (verbatim && !short ? 1 : users);
}

/** "OK" to one and the same question each time is a heartbeat; saying nothing to it is none. */
function isAsked({ heard, said, saidWords }: Fingerprint): boolean {
  return heard === "user" || (heard === "again" && said !== "" && saidWords < SHORT);
}

function isSame(a: Fingerprint, b: Fingerprint): boolean {
  if (a.said === b.said) return true;
  return a.saidWords >= SHORT && b.saidWords >= SHORT && nearlyEqual(a.saidSimilarity, b.saidSimilarity);
}
