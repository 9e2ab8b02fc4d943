import type { Finding } from "../engine/engine.ts";
import { ladderFor } from "./ladder.ts";
import { type Ladder, type Rung, rungs } from "./rungs.ts";
import { type DoubtMemory, type Opinion, secondOpinionOf } from "./second-opinion.ts";
import type { Policy } from "./policy-type.ts";

/** Memory of what a thread's loops have led to so far. Plain JSON, bounded. */
export interface Memory {
  /** By loop identity, oldest first. */
  readonly loops: Readonly<Record<string, LoopMemory>>;
  /** Index of the step at which a model was last nudged. */
  readonly nudgedAt?: number;
  /** Loops that a judge has called none: there is no nudge for them, and all the rest stays. */
  readonly cleared?: readonly string[];
  /** What judges have said where rules were in doubt. */
  readonly doubt?: DoubtMemory;
}

interface LoopMemory {
  /** The highest rung it has led to. */
  readonly rung: Rung;
  /** Index of the last step at which it stood on its ladder. */
  readonly at: number;
}

export const noMemory: Memory = { loops: {} };

/** The most loops remembered; an older one that comes back counts as new. */
const MAX_LOOPS = 32;

export interface Decision {
  readonly rung: Rung;
  readonly finding: Finding;
}

/** Facts about the step to decide on. */
interface Moment {
  /** Index of the step in its thread. */
  readonly at: number;
  /** A user has just said something new: whatever went on before, the model gets to answer it. */
  readonly userSpoke: boolean;
  /** What a judge has said of one of its loops. */
  readonly opinion?: Opinion | undefined;
}

/**
 * Findings to at most one decision: the highest rung, and of equals the first finding.
 * Pure; the memory it returns goes into the next call.
 */
export function chooseRung(
  findings: readonly Finding[],
  memory: Memory,
  policy: Policy,
  moment: Moment,
): { readonly decision: Decision | undefined; readonly memory: Memory } {
  if (findings.length === 0) return { decision: undefined, memory };
  let decision: Decision | undefined;
  let loops = memory.loops;
  const cleared = clearedAfter(memory, moment);
  for (const finding of findings) {
    const base = rungAt(policy, finding) ?? confirmedRung(policy, finding, moment);
    if (base === undefined || (base === "nudge" && cleared?.includes(finding.loop))) continue;
    if (hasTime(finding, memory, policy, moment)) continue;
    const past = loops[finding.loop];
    const rung = rungNow(base, finding, memory, policy, moment);
    const reached = rung ?? past?.rung;
    if (reached !== undefined)
      loops = remember(loops, finding.loop, { rung: higher(reached, past?.rung), at: moment.at });
    if (rung !== undefined && (decision === undefined || rank(rung) > rank(decision.rung)))
      decision = { rung, finding };
  }
  const nudgedAt = decision?.rung === "nudge" ? moment.at : memory.nudgedAt;
  const { doubt } = memory;
  const more = { ...(nudgedAt !== undefined && { nudgedAt }), ...(cleared && { cleared }), ...(doubt && { doubt }) };
  return { decision, memory: { loops, ...more } };
}

/** The next rung for a model that repeats itself after an intervention. */
export function rungAfter(rung: Rung, policy: Policy): Rung {
  if (rung === "nudge") return "force-done";
  return policy.finalResponseAfterFailure ? "short-circuit" : rung;
}

/** Memory after an intervention on an answer, which no step shows. @param entry `at`: index of the step after the answer */
export function withMade(
  memory: Memory,
  entry: { readonly loop: string; readonly rung: Rung; readonly at: number },
): Memory {
  const { loop, rung, at } = entry;
  const loops = remember(memory.loops, loop, { rung: higher(rung, memory.loops[loop]?.rung), at });
  return rung === "nudge" ? { ...memory, loops, nudgedAt: at } : { ...memory, loops };
}

const MAX_CLEARED = 8;

function clearedAfter({ cleared = [] }: Memory, { opinion }: Moment): Memory["cleared"] {
  const others = opinion === undefined ? cleared : cleared.filter((loop) => loop !== opinion.loop);
  const all = opinion?.looping === false ? [...others, opinion.loop] : others;
  return all.length === 0 ? undefined : all.slice(-MAX_CLEARED);
}

/** A judge has seen some of it, and called it no circle. */
function isCleared({ evidence, limit, course }: Finding, { doubt }: Memory): boolean {
  if (doubt === undefined || doubt.confirmed > 0 || limit !== undefined || course !== undefined) return false;
  return evidence.some((at) => at <= doubt.at);
}

/** What was cleared gets some steps more, whatever the count. */
function hasTime(finding: Finding, memory: Memory, policy: Policy, { at }: Moment): boolean {
  const { patience = 0 } = secondOpinionOf(policy) ?? {};
  return isCleared(finding, memory) && at - (memory.doubt?.at ?? at) <= patience;
}

/** Nudge for a loop that a judge has confirmed, before its count is reached; never a higher rung. */
function confirmedRung(policy: Policy, finding: Finding, { opinion }: Moment): Rung | undefined {
  return opinion?.looping === true && opinion.loop === finding.loop ? word(policy, finding) : undefined;
}

/** The rung is a function of the count: there is no hidden state of escalation. */
function rungAt(policy: Policy, finding: Finding): Rung | undefined {
  const ladder = ladderFor(policy, finding);
  return rungs.findLast((rung) => finding.count >= (ladder[rung] ?? Number.POSITIVE_INFINITY));
}

/** The rung to act on now; undefined when this loop has had it already, or gets time. */
function rungNow(base: Rung, finding: Finding, memory: Memory, policy: Policy, moment: Moment): Rung | undefined {
  const past = memory.loops[finding.loop];
  if (moment.userSpoke && finding.evenIfUserSpoke !== true)
    return past === undefined ? word(policy, finding) : undefined;
  if (past !== undefined && hasReturned(finding, past)) return raised(base, ladderFor(policy, finding));
  if (past !== undefined && past.rung !== "nudge" && policy.finalResponseAfterFailure) return "short-circuit";
  // Its counts were passed in silence: first it is told.
  if (past === undefined && isCleared(finding, memory)) return word(policy, finding) ?? base;
  if (base !== "nudge") return base;
  return past !== undefined || isOldNews(finding, memory) ? undefined : base;
}

/** A nudge, where the ladder has one. */
function word(policy: Policy, finding: Finding): Rung | undefined {
  return ladderFor(policy, finding).nudge === undefined ? undefined : "nudge";
}

/** All that shows it came after the last time: the run had left this loop in between. */
function hasReturned(finding: Finding, past: LoopMemory): boolean {
  return finding.evidence.every((at) => at > past.at);
}

/** One rung higher, if the ladder has one. */
function raised(base: Rung, ladder: Ladder): Rung {
  const next = rungs[rank(base) + 1];
  return next !== undefined && ladder[next] !== undefined ? next : base;
}

/** Most of the evidence was there when the model was last told; it gets time to act on that. */
function isOldNews(finding: Finding, memory: Memory): boolean {
  const { nudgedAt } = memory;
  if (nudgedAt === undefined) return false;
  return finding.evidence.filter((at) => at <= nudgedAt).length * 2 > finding.evidence.length;
}

function remember(loops: Memory["loops"], loop: string, entry: LoopMemory): Memory["loops"] {
  const { [loop]: _, ...others } = loops;
  const remaining = Object.entries(others).slice(-(MAX_LOOPS - 1));
  return { ...Object.fromEntries(remaining), [loop]: entry };
}

const rank = (rung: Rung): number => rungs.indexOf(rung);
const higher = (a: Rung, b: Rung | undefined): Rung => (b !== undefined && rank(b) > rank(a) ? b : a);
