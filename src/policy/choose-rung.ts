import type { Finding } from "../engine/engine.ts";
import { ladderFor } from "./ladder.ts";
import { type Ladder, type Policy, type Rung, rungOf, type Stage, stages } from "./schema.ts";

/** Memory of what a thread's loops have led to so far. Plain JSON, bounded. */
export interface Memory {
  /** By loop identity, oldest first. */
  readonly loops: Readonly<Record<string, LoopMemory>>;
  /** Index of the step at which a model was last nudged. */
  readonly nudgedAt?: number;
  readonly doubt?: DoubtMemory;
}

interface LoopMemory {
  /** The highest stage it has led to. */
  readonly stage: Stage;
  /** Index of the last step at which it stood on its ladder. */
  readonly at: number;
  /** Index of the last step of the request that was the first to tell of this stage; kept of what is suspected. */
  readonly toldAt?: number;
}

export const noMemory: Memory = { loops: {} };

/** The most loops remembered; an older one that comes back counts as new. */
const MAX_LOOPS = 32;

export interface Decision {
  readonly rung: Rung;
  readonly finding: Finding;
}

interface Moment {
  readonly at: number;
  /** Index of its request's last step, where that is another one: no model has been told anything in between. */
  readonly toldAt?: number;
  /** A user has just said something new: whatever went on before, the model gets to answer it. */
  readonly userSpoke: boolean;
}

/** Findings to at most one decision: the highest rung, and of equals the first finding. */
export function chooseRung(
  findings: readonly Finding[],
  memory: Memory,
  policy: Policy,
  moment: Moment,
): { readonly decision: Decision | undefined; readonly memory: Memory } {
  if (findings.length === 0) return { decision: undefined, memory };
  let decision: Decision | undefined;
  let loops = memory.loops;
  for (const finding of findings) {
    const base = stageAt(policy, finding);
    if (base === undefined || hasTime(finding, memory, moment)) continue;
    const past = pastOf(finding, memory, policy);
    const stage = stageNow(base, finding, past, memory, policy, moment);
    const reached = stage ?? past?.stage;
    if (reached !== undefined) {
      const { at, toldAt = at } = moment;
      const told = stage === undefined ? past : { ...(isSuspected(ladderFor(policy, finding)) && { toldAt }) };
      loops = remember(loops, finding.loop, { ...told, stage: higher(reached, past?.stage), at });
    }
    if (stage !== undefined && (decision === undefined || rank(rungOf(stage)) > rank(decision.rung)))
      decision = { rung: rungOf(stage), finding };
  }
  const nudgedAt = decision?.rung === "nudge" ? moment.at : memory.nudgedAt;
  const { doubt } = memory;
  const more = { ...(nudgedAt !== undefined && { nudgedAt }), ...(doubt && { doubt }) };
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
  const loops = remember(memory.loops, loop, { stage: higher(rung, memory.loops[loop]?.stage), at });
  return rung === "nudge" ? { ...memory, loops, nudgedAt: at } : { ...memory, loops };
}

/** A judge has seen some of it, and called it no circle. */
function isCleared({ evidence, limit, course }: Finding, { doubt }: Memory): boolean {
  if (doubt === undefined || doubt.confirmed > 0 || limit !== undefined || course !== undefined) return false;
  return evidence.some((at) => at <= doubt.at);
}

/** Steps for which rules keep still about what a judge has cleared. */
const PATIENCE = 4;

/** What was cleared gets some steps more, whatever the count. */
function hasTime(finding: Finding, memory: Memory, { at }: Moment): boolean {
  return isCleared(finding, memory) && at - (memory.doubt?.at ?? at) <= PATIENCE;
}

/** The stage is a function of the count: there is no hidden state of escalation. */
function stageAt(policy: Policy, finding: Finding): Stage | undefined {
  const ladder = ladderFor(policy, finding);
  return stages.findLast((stage) => finding.count >= (ladder[stage] ?? Number.POSITIVE_INFINITY));
}

/** What a loop has led to so far. What is suspected, and was left once it was told, is suspected anew. */
function pastOf(finding: Finding, { loops }: Memory, policy: Policy): LoopMemory | undefined {
  const past = loops[finding.loop];
  if (past === undefined || !isSuspected(ladderFor(policy, finding))) return past;
  return hasReturned(finding, past) ? undefined : past;
}

/** The stage to act on now; undefined when this loop has had it already, or gets time. */
function stageNow(
  base: Stage,
  finding: Finding,
  past: LoopMemory | undefined,
  memory: Memory,
  policy: Policy,
  moment: Moment,
): Stage | undefined {
  const ladder = ladderFor(policy, finding);
  if (moment.userSpoke && finding.evenIfUserSpoke !== true) return past === undefined ? word(ladder) : undefined;
  // Its counts were passed in silence: first it is told.
  if (past === undefined && isCleared(finding, memory)) return word(ladder) ?? base;
  if (isSuspected(ladder)) {
    if (past !== undefined) return stageInTurn(base, past, ladder, policy, moment);
    return isOldNews(finding, memory) ? undefined : climbOf(ladder)[0];
  }
  if (past !== undefined && hasReturned(finding, past)) return raised(base, ladder);
  if (past !== undefined && past.stage !== "nudge" && policy.finalResponseAfterFailure) return "short-circuit";
  if (base !== "nudge") return base;
  return past !== undefined || isOldNews(finding, memory) ? undefined : base;
}

const isSuspected = (ladder: Ladder): boolean => ladder["second-nudge"] !== undefined;

/** What is suspected: the stage behind the past one, once the model has had the steps in between to act on that. */
function stageInTurn(base: Stage, past: LoopMemory, ladder: Ladder, policy: Policy, { at }: Moment): Stage | undefined {
  const steps = at - (past.toldAt ?? past.at);
  const isForced = rungOf(past.stage) !== "nudge";
  if (isForced && steps > 0) return policy.finalResponseAfterFailure ? "short-circuit" : past.stage;
  // Counted in a history that came whole: this request is the first to tell of it.
  if (steps === 0 && rungOf(base) !== "nudge") return past.stage;
  const next = climbOf(ladder).find((stage) => rank(stage) > rank(past.stage));
  if (next === undefined || rank(next) > rank(base)) return undefined;
  return steps >= (ladder[next] ?? 0) - (ladder[past.stage] ?? 0) ? next : undefined;
}

/** A ladder's stages without those that a harder one comes before. */
function climbOf(ladder: Ladder): readonly Stage[] {
  return stages.filter((stage, i) => {
    const { [stage]: count } = ladder;
    return count !== undefined && stages.slice(i + 1).every((harder) => (ladder[harder] ?? count + 1) > count);
  });
}

const word = ({ nudge }: Ladder): Stage | undefined => (nudge === undefined ? undefined : "nudge");

/** All that shows it came after the last time: the run had left this loop in between. */
function hasReturned(finding: Finding, past: LoopMemory): boolean {
  return finding.evidence.every((at) => at > past.at);
}

function raised(base: Stage, ladder: Ladder): Stage {
  const next = stages.slice(rank(base) + 1).find((stage) => rungOf(stage) !== rungOf(base));
  return next !== undefined && ladder[next] !== undefined ? next : base;
}

/** Most of the evidence was there when the model was last told; it gets time to act on that. */
function isOldNews({ evidence }: Finding, { nudgedAt = -1 }: Memory): boolean {
  return evidence.filter((at) => at <= nudgedAt).length * 2 > evidence.length;
}

function remember(loops: Memory["loops"], loop: string, entry: LoopMemory): Memory["loops"] {
  const { [loop]: _, ...others } = loops;
  const remaining = Object.entries(others).slice(-(MAX_LOOPS - 1));
  return { ...Object.fromEntries(remaining), [loop]: entry };
}

const rank = (stage: Stage): number => stages.indexOf(stage);
const higher = (a: Stage, b: Stage | undefined): Stage => (b !== undefined && rank(b) > rank(a) ? b : a);

export interface Opinion {
  readonly loop: string;
  readonly looping: boolean;
  /** Index of the newest step that it was shown. */
  readonly at: number;
}

interface DoubtMemory {
  /** Index of the newest step that was shown. */
  readonly at: number;
  /** How often the run was said to go in circles since it was last cleared. */
  readonly confirmed: number;
}

/** An older opinion is about steps that the run has left. */
const FRESH = 8;

/** What an opinion adds at a step; undefined where it adds nothing. @param since index of the first step that counts */
export function heededDoubt(
  known: DoubtMemory | undefined,
  opinion: Opinion | undefined,
  { at, since }: { readonly at: number; readonly since: number },
): DoubtMemory | undefined {
  if (opinion === undefined || opinion.at < since || at - opinion.at > FRESH) return undefined;
  if (known !== undefined && opinion.at <= known.at) return undefined;
  return { at: opinion.at, confirmed: opinion.looping ? (known?.confirmed ?? 0) + 1 : 0 };
}
