import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import { figuresAt } from "../evidence.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { asksForWhatCame, isAnsweredAlike, isEffect, relate } from "../relation.ts";
import { toolNames } from "../steps.ts";
import { type ActingStep, toolsIn } from "../view.ts";

const SHORTEST = 2;
const LONGEST = 10;
const LONG = 4;
/** Different turns of a circle that is gone round in no order. */
const WIDEST = 4;
/** How far back a failing call is looked for among others. In acts. */
const REACH = 24;

/** Call cycle: several turns going round, A B A B A B, with the same outcomes in every lap. */
export const callCycle = defineDetector({
  name: "call-cycle",
  grades: { failing: "refining" },
  tells: { main: "cycle", failing: "failing-call" },
  settings: {},
  predicts: { by: "calls" },
  detect({ action, actions, repeats }) {
    if (action === undefined || !repeats) return [];
    const findings = [circle(actions), interleavedFailure(actions, action)];
    return findings.filter((finding) => finding !== undefined).filter(({ count }) => count >= 2);
  },
});

function isSame(actions: readonly ActingStep[], i: number, j: number): boolean {
  const [a, act] = [actions[i]?.fingerprint, actions[j]];
  if (a === undefined || act === undefined) return false;
  const b = act.fingerprint;
  if (a.callsHash !== b.callsHash) return isDoneWithWhatCame(actions, i, j);
  const figures = (call: CallFingerprint) => () => figuresAt(actions, actions.length - 1, call);
  return isAnsweredAlike(a, b, (one, call) => relate(one, call, act.work, figures(call)).result < 1);
}

/**
 * With what an equal call has brought in either lap, an id as a rule, the same is done to the same end: what was made is deleted once
 * more, what was offered cannot be had once more.
 */
function isDoneWithWhatCame(actions: readonly ActingStep[], i: number, j: number): boolean {
  const [one, call] = [onlyCallOf(actions[i]), onlyCallOf(actions[j])];
  if (one === undefined || call === undefined || one.tool !== call.tool || one.shape !== call.shape) return false;
  if (!endsAlike(one, call)) return false;
  const sources = Array.from({ length: j - i }, (_, ago) => i - 1 - ago);
  return sources.some((at) => {
    const [source, again] = [onlyCallOf(actions[at]), onlyCallOf(actions[at + j - i])];
    if (source === undefined || again === undefined || source.hash !== again.hash) return false;
    // The name of what was made is not kept.
    if (isEffect(source) && isEffect(one)) return one.words === 0;
    return asksForWhatCame(source, one) && asksForWhatCame(again, call);
  });
}

function endsAlike({ outcome: a }: CallFingerprint, { outcome: b }: CallFingerprint): boolean {
  return a !== undefined && a.shape === b?.shape && a.failed === b.failed;
}

function onlyCallOf(action: ActingStep | undefined): CallFingerprint | undefined {
  const [call, another] = action?.fingerprint.calls ?? [];
  return another === undefined ? call : undefined;
}

function onlyChangeOf(action: ActingStep | undefined): CallFingerprint | undefined {
  const call = onlyCallOf(action);
  return call !== undefined && isEffect(call) ? call : undefined;
}

/** A few turns that alone are made, each more than once with its outcome, in whatever order; or more of them in one order. */
function circle(actions: readonly ActingStep[]): RawFinding | undefined {
  /** Of each turn the acts that were it, the newest first. */
  const turns: number[][] = [];
  let [best, from, isInOrder] = [0, 0, true];
  for (let at = actions.length - 1; at >= 0; at--) {
    const length = actions.length - at;
    const known = turns.findIndex((turn) => isSame(actions, at, turn.at(-1) ?? at));
    isInOrder &&= known < 0 ? turns.length === length - 1 : known === (length - 1) % turns.length;
    if (known < 0) turns.push([at]);
    else turns[known]?.push(at);
    const period = turns.length;
    if (period > (isInOrder ? LONGEST : WIDEST)) break;
    // In order half of a long lap is enough to see that another has begun.
    const half = isInOrder && period >= LONG ? period / 2 : undefined;
    const laps = half ? Math.floor((length + half) / period) : Math.min(...turns.map((turn) => turn.length));
    if (period >= SHORTEST && laps >= Math.max(2, best)) [best, from] = [laps, at];
  }
  const around = actions.slice(from);
  const lap = turns.flatMap(([newest = 0]) => (newest >= from ? (actions[newest] ?? []) : []));
  if (best < 2 || lap.every(({ polls }) => polls)) return undefined;
  return finding(lap, around, best - (askedBetween(around) ? 1 : 0));
}

function askedBetween(actions: readonly ActingStep[]): boolean {
  return actions.slice(1).some((action) => action.userBefore);
}

/** The lap's turns sorted: the same cycle entered elsewhere is the same loop. */
function finding(lap: readonly ActingStep[], around: readonly ActingStep[], count: number): RawFinding {
  const turns = [...new Set(lap.map(nameOf))].sort();
  const tools = [...new Set(lap.map((action) => toolNames(action.fingerprint)))].slice(0, 4);
  const note = `${tools.join(", ")}: the same ${lap.length} turns with the same outcomes, round and round`;
  return findingIn(around, { loop: `call-cycle:${turns.join("|")}`, count, tools: toolsIn(lap), note });
}

/** Of a change that names nothing but an id not even that, which is another in each lap. */
function nameOf(action: ActingStep): string {
  const change = onlyChangeOf(action);
  return change?.words === 0 ? change.shape : action.fingerprint.callsHash;
}

/** One failing call that comes back unchanged among other work, while nothing was changed in between. */
function interleavedFailure(actions: readonly ActingStep[], action: ActingStep): RawFinding | undefined {
  if (action.polls) return undefined;
  const rows = action.fingerprint.calls
    .filter((call) => call.outcome?.failed === true)
    .map((call) => ({ call, repeats: repeatsOf(call, actions) }))
    // Of equals the first by name: the order of parallel calls must not matter.
    .sort(
      (a, b) =>
        b.repeats.length - a.repeats.length || compare(a.call.tool, b.call.tool) || compare(a.call.hash, b.call.hash),
    );
  const [longest] = rows;
  if (longest === undefined || longest.repeats.length < 3) return undefined;
  const { call, repeats } = longest;
  const note = `${call.tool}: the same failing call, ${repeats.length} times among other calls`;
  return findingIn(repeats, { grade: "failing", loop: `call-cycle:failing:${call.hash}`, tools: [call.tool], note });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function repeatsOf(call: CallFingerprint, actions: readonly ActingStep[]): readonly ActingStep[] {
  const matches: ActingStep[] = [];
  for (const earlier of actions.slice(-REACH).reverse()) {
    const answers = earlier.fingerprint.calls.filter(({ hash }) => hash === call.hash);
    if (!answers.every((answer) => relate(answer, call, earlier.work).result < 1)) break;
    if (answers.length === 0 && earlier.landed) break;
    if (answers.length > 0) matches.unshift(earlier);
    if (earlier.userBefore) break;
  }
  return matches;
}
