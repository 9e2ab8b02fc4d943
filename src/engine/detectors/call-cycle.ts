import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import { figuresAt } from "../evidence.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import { differenceOf, isAnsweredAlike, isEffect, LEAST_WORDS, MUCH, relate } from "../relation.ts";
import { hasSlot, isName, slotsIn } from "../../scan/scan.ts";
import { toolNames } from "../steps.ts";
import { type ActingStep, REACH, toolsIn } from "../view.ts";

const SHORTEST = 2;
const LONGEST = 10;
const LONG = 4;
/** Different turns of a circle that is gone round in no order. */
const WIDEST = 4;

/** Call cycle: several turns going round, A B A B A B, with the same outcomes in every lap. */
export const callCycle = defineDetector({
  name: "call-cycle",
  grades: { failing: "refining", renewed: "refining" },
  tells: { main: "cycle", failing: "failing-call" },
  settings: {},
  predicts: { by: "calls" },
  detect({ action, actions, repeats }) {
    if (action === undefined) return [];
    const round = repeats ? circle(actions) : undefined;
    const again = renewed(actions);
    // What has come back unchanged tells more than what was made again.
    const isMore = again !== undefined && again.count > (round?.count ?? 0);
    const findings = [round, repeats ? interleavedFailure(actions, action) : undefined, isMore ? again : undefined];
    return findings.filter((finding) => finding !== undefined).filter(({ count }) => count >= 2);
  },
});

function isSame(actions: readonly ActingStep[], i: number, j: number): boolean {
  const [a, act] = [actions[i]?.fingerprint, actions[j]];
  if (a === undefined || act === undefined) return false;
  const b = act.fingerprint;
  if (a.callsHash !== b.callsHash) return false;
  const figures = (call: CallFingerprint) => () => figuresAt(actions, actions.length - 1, call);
  return isAnsweredAlike(a, b, (one, call) => relate(one, call, act.work, figures(call)).result < 1);
}

/** Laps of acts that are made again, with ids that have come meanwhile or with other values, and lead to the same. */
function renewed(actions: readonly ActingStep[]): RawFinding | undefined {
  for (let period = SHORTEST; period <= WIDEST; period++) {
    let from = actions.length - period;
    while (from > 0 && isRenewed(actions, from - 1, from - 1 + period)) from--;
    const around = actions.slice(Math.max(0, from));
    const lap = around.slice(-period);
    const pairs = lap.map((act, i) => [onlyCallOf(around.at(i - 2 * period)), onlyCallOf(act)] as const);
    const told = pairs.reduce((sum, [one, call]) => sum + wordsToldAgain(one, call), 0);
    const isVaried = pairs.some(([one, call]) => !newSlots(one, call).every(isName));
    const count = Math.floor(around.length / period) - (isVaried ? 1 : 0);
    if (count < 2 || told < (isVaried ? MUCH : LEAST_WORDS) || lap.every(({ polls }) => polls)) continue;
    if (isVaried && around.some((act, i) => figuresMoved(onlyCallOf(around[i - period]), onlyCallOf(act)) > 0))
      continue;
    if (new Set(lap.map(({ fingerprint }) => fingerprint.callsHash)).size < 2) continue;
    const loop = `call-cycle:renewed:${pairs
      .map(([, call]) => call?.shape)
      .sort()
      .join("|")}`;
    return findingIn(around, {
      grade: "renewed",
      loop,
      count,
      note: `${toolsOf(lap)}: ${count} laps that lead to the same`,
    });
  }
  return undefined;
}

function isRenewed(actions: readonly ActingStep[], i: number, j: number): boolean {
  const [act, one, call] = [actions[j], onlyCallOf(actions[i]), onlyCallOf(actions[j])];
  if (act?.userBefore !== false || one?.outcome === undefined || call?.outcome === undefined) return false;
  if (one.tool !== call.tool || one.shape !== call.shape || one.outcome.shape !== call.outcome.shape) return false;
  if (one.hash === call.hash) return LEAST_WORDS * figuresMoved(one, call) <= call.outcome.words;
  const names = newSlots(one, call).filter(isName);
  if (names.length === 0) return true;
  const [known, came] = [slotsThatCame(actions.slice(0, i)), slotsThatCame(actions.slice(i, j))];
  if (!act.work.spend(known.length + came.length)) return false;
  // The name of what is made anew in each lap is not kept.
  const isMade = actions.slice(i + 1, j).some((made, k) => isMadeAgain(actions[2 * i - j + 1 + k], made));
  return names.every((name) => !hasSlot(known, name) && (isMade || hasSlot(came, name)));
}

/** Numbers that the same question has brought in the one lap, and not in the other: with other values, they are what is looked for. */
function figuresMoved(one: CallFingerprint | undefined, call: CallFingerprint | undefined): number {
  if (one?.hash !== call?.hash || one?.outcome === undefined || call?.outcome === undefined) return 0;
  const { numbers, shares } = differenceOf(one.outcome, call.outcome);
  return numbers + shares;
}

function isMadeAgain(before: ActingStep | undefined, act: ActingStep): boolean {
  const [one, call] = [onlyCallOf(before), onlyCallOf(act)];
  return one !== undefined && one.hash === call?.hash && isEffect(one) && isEffect(call);
}

/** Words of an answer to the same question, but for ids. */
function wordsToldAgain(one: CallFingerprint | undefined, call: CallFingerprint | undefined): number {
  if (call?.outcome === undefined || !newSlots(one, call).every(isName)) return 0;
  const { weight, failed, complains, words } = call.outcome;
  return weight === "informative" || failed || complains ? words : 0;
}

const newSlots = (one: CallFingerprint | undefined, call: CallFingerprint | undefined) =>
  slotsIn(call?.slots ?? "").filter((slot) => !hasSlot(one?.slots ?? "", slot));

const slotsThatCame = (actions: readonly ActingStep[]): string =>
  actions.flatMap(({ fingerprint: { calls } }) => calls.map(({ outcome }) => outcome?.slots ?? "")).join("");

function onlyCallOf(action: ActingStep | undefined): CallFingerprint | undefined {
  const [call, another] = action?.fingerprint.calls ?? [];
  return another === undefined ? call : undefined;
}

const toolsOf = (lap: readonly ActingStep[]): string =>
  [...new Set(lap.map(({ fingerprint }) => toolNames(fingerprint)))].slice(0, 4).join(", ");

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
  const isAskedBetween = around.slice(1).some(({ userBefore }) => userBefore);
  const count = best - (isAskedBetween ? 1 : 0);
  // Sorted: the same cycle entered elsewhere is the same loop.
  const names = [...new Set(lap.map(({ fingerprint }) => fingerprint.callsHash))].sort();
  const note = `${toolsOf(lap)}: the same ${lap.length} turns with the same outcomes, round and round`;
  return findingIn(around, { loop: `call-cycle:${names.join("|")}`, count, tools: toolsIn(lap), note });
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
