import { isKnownBy } from "../comparing/rewording.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { type ActingStep, type Situation, viewOf } from "../view.ts";
import { evidenceAt } from "./evidence.ts";

/** What may go in circles: what is done, or what is said. */
export type DoubtKind = "acts" | "talk";

/** Acting steps within which an act counts as made before. */
const REACH = 24;
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
export function doubtKindIn(situation: Situation, least: number): DoubtKind | undefined {
  const { window, action, actions } = viewOf(situation);
  if (action !== undefined) return evidenceAt(actions).sum >= least || repeatsAct(actions) ? "acts" : undefined;
  return saysAgain(window) ? "talk" : undefined;
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
  return act.calls.some((call) => earlier.some(({ calls }) => calls.some((other) => isAnsweredAlike(other, call))));
}

function isAnsweredAlike(earlier: CallFingerprint, later: CallFingerprint): boolean {
  return earlier.tool === later.tool && earlier.outcome?.shape === later.outcome?.shape;
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
