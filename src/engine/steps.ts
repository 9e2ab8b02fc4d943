import { BLANK, similarity } from "../scan/scan.ts";
import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";

export function isSingle({ callsHash, order }: Fingerprint): boolean {
  return callsHash !== "" && order === undefined;
}

export function hasFailed(fingerprint: Fingerprint): boolean {
  return fingerprint.calls.length > 0 && fingerprint.calls.every((call) => call.outcome?.failed === true);
}

/** It acts on the world, whatever it thinks beside that. */
export function isAct({ callsHash, thinks }: Fingerprint): boolean {
  return callsHash !== "" && thinks !== true;
}

/** The tools of a step, each once, in no order of its calls; a few of them where they are many. */
export function toolNames(fingerprint: Fingerprint): string {
  const tools = [...new Set(fingerprint.calls.map((call) => call.tool))].sort();
  return tools.length > 4 ? `${tools.slice(0, 4).join(", ")}, …` : tools.join(", ");
}

/** All that it does is to look at what somebody else does, by the names of its calls or by what they answer. */
export function isPoll(fingerprint: Fingerprint): boolean {
  return (
    fingerprint.calls.length > 0 &&
    fingerprint.calls.every(
      (call) =>
        call.kind === "poll" ||
        // Behind a gesture the screen tells where it has led to, whatever still stands there.
        (call.kind === "other" && call.moves !== true && call.outcome?.pending === true && !call.outcome.failed),
    )
  );
}

export function isPause(fingerprint: Fingerprint | undefined): boolean {
  return fingerprint?.calls.every(isPauseCall) === true;
}

function isPauseCall({ kind, tool, passes, outcome }: CallFingerprint): boolean {
  if (passes === true || kind !== "poll") return passes === true;
  return SLEEP.test(tool) || (outcome?.weight !== "informative" && outcome?.pending !== true);
}

/** A pause and what is looked at behind it, in one turn. */
export function pausesToLook({ calls }: Fingerprint): boolean {
  return calls.some(isPauseCall) && calls.every((call) => isPauseCall(call) || call.kind === "other");
}

/** It does nothing but let time pass, whatever it says of that: a sleep, a timer, also in the background. */
export function passesTime({ calls }: Fingerprint): boolean {
  return (
    calls.length > 0 &&
    calls.every(({ kind, tool, passes }) => passes === true || (kind === "poll" && TIMER.test(tool)))
  );
}

const TIMER = /sleep|delay|timer|wake_?up/i;
const SLEEP = /(^|[^a-z])(sleep|wait|pause|delay)/i;

/** It may be waited for: what fails or changes something is tried again, unless a pause is what its failure asks for. */
export function isLook(fingerprint: Fingerprint): boolean {
  return fingerprint.calls.every(
    ({ kind, moves, outcome }) =>
      kind === "other" && moves !== true && (outcome?.failed === false || outcome?.cause === "transient"),
  );
}

/** From this share of common words on, figures left out, two texts are made in one mould. */
const MOULD = 0.7;

/**
 * Whether what was heard behind two acts is a note that a program adds to each of them ("Remaining steps: 24"): made in one mould,
 * behind results that tell something by themselves. Behind a bare receipt it may be what the act has brought.
 */
export function isSameNote(one: Fingerprint, other: Fingerprint): boolean {
  return (
    isBehindResult(one) &&
    isBehindResult(other) &&
    similarity(one.heardSimilarity ?? BLANK, other.heardSimilarity ?? BLANK) >= MOULD
  );
}

function isBehindResult({ calls, heardSimilarity }: Fingerprint): boolean {
  return (
    heardSimilarity !== undefined &&
    calls.length > 0 &&
    calls.every(({ moves, outcome }) => moves !== true && outcome?.weight === "informative")
  );
}

/** Whether a program says the same again behind an answer, but for figures, times and ids: a hook, a timer, a counted push. */
export function isSameNotice(one: Fingerprint, other: Fingerprint): boolean {
  return (
    one.automated === true &&
    other.automated === true &&
    one.heardWords === other.heardWords &&
    similarity(one.heardSimilarity ?? BLANK, other.heardSimilarity ?? BLANK) === 1
  );
}

/** How often each turn was taken, by its calls. */
export function timesOf(prints: readonly Fingerprint[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { callsHash } of prints) times.set(callsHash, (times.get(callsHash) ?? 0) + 1);
  return times;
}

/** A text in the mould of an earlier one, behind acts or set out by a program, is nobody's news. */
export function withNote(fingerprint: Fingerprint, earlier: readonly Fingerprint[]): Fingerprint {
  const isAgain = (one: Fingerprint) => isSameNote(one, fingerprint) || isSameNotice(one, fingerprint);
  const isNote = fingerprint.heard === "user" && earlier.some(isAgain);
  return isNote ? { ...fingerprint, heard: "again" } : fingerprint;
}
