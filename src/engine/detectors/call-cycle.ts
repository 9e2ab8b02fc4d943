import { defineDetector, type Sighting } from "../detector.ts";
import type { CallFingerprint } from "../call-fingerprint.ts";
import { type ActingStep, toolsIn, toolsOf } from "../view.ts";

const SHORTEST = 2;
const LONGEST = 10;
const LONG = 4;
/** How far back a pair of turns is looked for when one-off calls break the rhythm. In acts. */
const REACH = 24;

/** Call cycle: several turns going round, A B A B A B, with the same outcomes in every lap. */
export const callCycle = defineDetector({
  name: "call-cycle",
  grades: { failing: "refining" },
  tells: { main: "cycle", failing: "failing-call" },
  settings: {},
  predicts: { by: "calls" },
  detect({ act, acts, asked, repeats }) {
    if (act === undefined || !repeats) return [];
    const found = [strictCycle(acts) ?? brokenCycle(acts, act), interleavedFailure(acts, act)];
    return found
      .filter((finding) => finding !== undefined)
      .map((finding) => ({ ...finding, count: finding.count - asked }))
      .filter(({ count }) => count >= 2);
  },
});

function same(a: ActingStep | undefined, b: ActingStep | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.fingerprint.callsHash === b.fingerprint.callsHash &&
    a.fingerprint.outcomesHash === b.fingerprint.outcomesHash
  );
}

function strictCycle(acts: readonly ActingStep[]): Sighting | undefined {
  for (let period = SHORTEST; period <= LONGEST && period * 2 <= acts.length; period++) {
    const lap = acts.slice(-period);
    if (lap.every((act) => same(act, lap[0])) || lap.every((act) => act.polls)) continue;
    let length = period;
    while (same(acts[acts.length - 1 - length], acts[acts.length - 1 - length + period])) length++;
    // Half of a long lap is enough to see that another has begun.
    const laps = Math.floor((length + (period >= LONG ? period / 2 : 0)) / period);
    if (laps < 2) continue;
    const around = acts.slice(-length);
    return finding(lap, around, laps - (askedBetween(around) ? 1 : 0));
  }
  return undefined;
}

/** The same two turns after one another, again and again, with one-off calls between: one more lap is needed. */
function brokenCycle(acts: readonly ActingStep[], act: ActingStep): Sighting | undefined {
  const before = acts.at(-2);
  if (before === undefined || same(before, act) || act.polls || before.polls) return undefined;
  const recent = acts.slice(-REACH);
  const pairs: ActingStep[] = [];
  for (let i = recent.length - 1; i > 0; i--) {
    const [first, second] = [recent[i - 1], recent[i]];
    if (first === undefined || second === undefined) break;
    if (same(first, before) && same(second, act)) pairs.unshift(first, second);
    else if (changed(second, act) || changed(second, before) || isNewLanding(second, act, before)) break;
  }
  const laps = pairs.length / 2 - 1 - (askedBetween(pairs) ? 1 : 0);
  return laps < 2 ? undefined : finding([before, act], pairs, laps);
}

function changed(earlier: ActingStep, act: ActingStep): boolean {
  return (
    earlier.fingerprint.callsHash === act.fingerprint.callsHash &&
    earlier.fingerprint.outcomesHash !== act.fingerprint.outcomesHash
  );
}

function isNewLanding(earlier: ActingStep, act: ActingStep, before: ActingStep): boolean {
  return earlier.landed && !same(earlier, act) && !same(earlier, before);
}

function askedBetween(acts: readonly ActingStep[]): boolean {
  return acts.slice(1).some((act) => act.userBefore);
}

/** The lap's turns sorted: the same cycle entered elsewhere is the same loop. */
function finding(lap: readonly ActingStep[], around: readonly ActingStep[], count: number): Sighting {
  const turns = [...new Set(lap.map((act) => act.fingerprint.callsHash))].sort();
  const tools = [...new Set(lap.map((act) => toolsOf(act.fingerprint)))].slice(0, 4);
  return {
    loop: `call-cycle:${turns.join("|")}`,
    count,
    evidence: around.map((act) => act.at),
    tools: toolsIn(lap),
    note: `${tools.join(", ")}: the same ${lap.length} turns with the same outcomes, round and round`,
  };
}

/** One failing call that comes back unchanged among other work, while nothing was changed in between. */
function interleavedFailure(acts: readonly ActingStep[], act: ActingStep): Sighting | undefined {
  if (act.polls) return undefined;
  const rows = act.fingerprint.calls
    .filter((call) => call.outcome?.failed === true)
    .map((call) => ({ call, repeats: repeatsOf(call, acts) }))
    // Of equals the first by name: the order of parallel calls must not matter.
    .sort(
      (a, b) =>
        b.repeats.length - a.repeats.length || compare(a.call.tool, b.call.tool) || compare(a.call.hash, b.call.hash),
    );
  const [longest] = rows;
  if (longest === undefined || longest.repeats.length < 3) return undefined;
  const { call, repeats } = longest;
  return {
    grade: "failing",
    loop: `call-cycle:failing:${call.hash}`,
    count: repeats.length,
    evidence: repeats.map((repeat) => repeat.at),
    tools: [call.tool],
    note: `${call.tool}: the same failing call, ${repeats.length} times among other calls`,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function repeatsOf({ hash, outcome }: CallFingerprint, acts: readonly ActingStep[]): readonly ActingStep[] {
  const found: ActingStep[] = [];
  for (const earlier of acts.slice(-REACH).reverse()) {
    const answers = earlier.fingerprint.calls.filter((candidate) => candidate.hash === hash);
    if (answers.some((answer) => answer.outcome?.hash !== outcome?.hash)) break;
    if (answers.length === 0 && earlier.landed) break;
    if (answers.length > 0) found.unshift(earlier);
    if (earlier.userBefore) break;
  }
  return found;
}
