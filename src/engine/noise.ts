import { ONE_BY_ONE, slotAt, slotsIn } from "../scan/scan.ts";
import { isLater } from "./figures.ts";
import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";

/** Results in a row that show a counter which is not theirs. */
const LEAST_RESULTS = 3;
const LEAST_WORDS = 4;
/** Results that are looked at for one. */
const MOST_RESULTS = 16;
/** Figures of a result that may be one, from its beginning and from its end. */
const REACH = 8;

/**
 * A window without what is new in it whatever is done: a figure that the harness, or an API, counts all calls with, and the pixels
 * by which a click misses the place of the one before it.
 */
export function withoutNoise(window: readonly Fingerprint[]): readonly Fingerprint[] {
  const unpointed = window.some(hasPoint) ? withoutWander(window) : window;
  const place = counterIn(newestResults(unpointed));
  return place === undefined ? unpointed : unpointed.map((step) => withoutCounter(step, place));
}

function newestResults(window: readonly Fingerprint[]): readonly CallFingerprint[] {
  const results: CallFingerprint[] = [];
  for (let at = window.length - 2; at >= 0 && results.length < MOST_RESULTS; at--)
    for (const call of window[at]?.calls.toReversed() ?? []) if (call.outcome !== undefined) results.push(call);
  return results.slice(0, MOST_RESULTS).reverse();
}

/** Where a counter stands among the figures of a result: from the beginning, or below zero from the end. */
type Place = number;

function counterIn(results: readonly CallFingerprint[]): Place | undefined {
  const last = results.at(-1)?.outcome;
  if (results.length < LEAST_RESULTS || last === undefined || last.slots === "") return undefined;
  const before = results.at(-2)?.outcome;
  const isLast = (place: Place, by: number) => isLater(figureAt(before, place), figureAt(last, place), by);
  return PLACES.find((place) => [1, -1].some((by) => isLast(place, by) && countsAll(results, place, by)));
}

const PLACES: readonly Place[] = Array.from({ length: REACH }, (_, i) => [-1 - i, i]).flat();

/** It grows by one with every call, whatever was called; a figure that a call asks with is what the call is about. */
function countsAll(results: readonly CallFingerprint[], place: Place, by: number): boolean {
  const from = results.findLastIndex((one, i) => {
    const next = results[i + 1];
    return next !== undefined && !isLater(figureAt(one.outcome, place), figureAt(next.outcome, place), by);
  });
  const run = results.slice(from + 1);
  // In so few words the figure may be the answer itself.
  if (run.length < LEAST_RESULTS || run.some(({ outcome }) => (outcome?.words ?? 0) < LEAST_WORDS)) return false;
  if (new Set(run.map(({ outcome }) => outcome?.shape)).size < 2) return false;
  const counted = new Set(run.map(({ outcome }) => figureAt(outcome, place)));
  return !run.some(({ slots }) => slotsIn(slots).some((slot) => counted.has(slot)));
}

function figureAt(outcome: OutcomeFingerprint | undefined, place: Place): string {
  const { slots } = outcome ?? { slots: "" };
  return slotAt(slots, placeIn(slots, place));
}

function placeIn(slots: string, place: Place): number {
  return place < 0 ? Math.min(slots.length / 2, ONE_BY_ONE) + place : place;
}

function withoutCounter(step: Fingerprint, place: Place): Fingerprint {
  if (step.calls.length === 0) return step;
  const calls = step.calls.map((call) => {
    const { outcome, moves } = call;
    // What a gesture has moved may be drawn, in signs that are no words.
    return outcome === undefined || moves === true ? call : { ...call, outcome: resultWithout(outcome, place) };
  });
  const identities = calls.map(({ hash, outcome }) => `${hash} ${outcome?.hash}`);
  const distinct = calls.filter((_, i) => identities.indexOf(identities[i] ?? "") === i);
  const laps = Math.min(...distinct.map((_, i) => identities.filter((one) => one === identities[i]).length));
  const outcomesHash =
    distinct.length === 1
      ? (distinct[0]?.outcome?.hash ?? step.outcomesHash)
      : [...new Set(identities)].sort().join("+");
  return { ...step, calls: distinct, outcomesHash, ...(laps > 1 && { laps }) };
}

function resultWithout(outcome: OutcomeFingerprint, place: Place): OutcomeFingerprint {
  const slots = slotsIn(outcome.slots);
  const at = placeIn(outcome.slots, place);
  if (at < 0 || at >= slots.length) return outcome;
  const others = slots.filter((_, i) => i !== at).join("");
  return { ...outcome, hash: `${outcome.shape}~${others}`, slots: others };
}

/** Pixels between two clicks at one place. */
const WANDER = 8;

const hasPoint = ({ calls }: Fingerprint): boolean => calls.some(({ point }) => point !== undefined);

function withoutWander(window: readonly Fingerprint[]): readonly Fingerprint[] {
  const clicks: CallFingerprint[] = [];
  return window.map((step) => {
    if (!hasPoint(step)) return step;
    const calls = step.calls.map((call) => {
      const earlier = clicks.findLast((one) => isNear(one, call));
      const settled = earlier === undefined ? call : { ...call, hash: earlier.hash, slots: earlier.slots };
      if (call.point !== undefined) clicks.push(settled);
      return settled;
    });
    const [first, another] = calls;
    return another === undefined && first !== undefined ? { ...step, calls, callsHash: first.hash } : step;
  });
}

function isNear({ point: one }: CallFingerprint, { point: other }: CallFingerprint): boolean {
  if (one === undefined || other === undefined || one.of !== other.of) return false;
  return Math.abs(one.x - other.x) <= WANDER && Math.abs(one.y - other.y) <= WANDER;
}
