import type { Judged, LoopFlag } from "./ask-all.ts";
import { type LoopVerdict, verdicts } from "./conversations.ts";

/** A share with what chance alone allows it to be: the 95 % interval after Wilson, 0 to 1. */
export interface Share {
  readonly part: number;
  readonly whole: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959964;

export function shareOf(part: number, whole: number): Share {
  if (whole === 0) return { part, whole, low: 0, high: 1 };
  const p = part / whole;
  const scale = 1 + Z ** 2 / whole;
  const centre = (p + Z ** 2 / (2 * whole)) / scale;
  const half = (Z / scale) * Math.sqrt((p * (1 - p)) / whole + Z ** 2 / (4 * whole ** 2));
  return { part, whole, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** A flag so many turns before the label's turn is still right. */
const GRACE = 1;

/** What a detector is worth on some conversations. Shares are over those whose label nobody doubts. */
export interface LoopScore {
  /** Loops with a flag at the label's turn, the one before it, or later; no answer is no flag. */
  readonly found: Share;
  /** Loops with a flag before that. */
  readonly early: Share;
  /** Loops with a flag anywhere. */
  readonly touched: Share;
  /** Healthy conversations with any flag; those without an answer count neither way. */
  readonly flagged: Share;
  /** Turns from the label's to the first right flag. */
  readonly delay: FlagDelay | undefined;
  readonly harm: Harm;
  /** Conversations that a failure leaves open, doubted labels included. */
  readonly failed: Share;
}

export interface FlagDelay {
  readonly median: number;
  readonly p90: number;
}

/** Conversations by the hardest verdict above what their label allows at that turn. */
export type Harm = Readonly<Record<Exclude<LoopVerdict, "none">, number>>;

export function scoreOfJudged(judged: readonly Judged[]): LoopScore {
  const counted = judged.filter(({ of }) => of.counts);
  const loops = counted.filter(({ of }) => of.loops);
  const healthy = counted.filter(({ of, flags, failure }) => !of.loops && (failure === undefined || flags.length > 0));
  const share = (some: readonly Judged[], is: (one: Judged) => boolean) => shareOf(some.filter(is).length, some.length);
  return {
    found: share(loops, (one) => firstRight(one) !== undefined),
    early: share(loops, ({ of, flags }) => flags.some(({ turn }) => turn < from(of))),
    touched: share(loops, ({ flags }) => flags.length > 0),
    flagged: share(healthy, ({ flags }) => flags.length > 0),
    delay: delayIn(loops),
    harm: harmIn(judged.filter(({ of }) => of.counts || of.worst !== undefined)),
    failed: share(judged, ({ failure }) => failure !== undefined),
  };
}

/** Index of the first turn at which a flag is right; a loop whose label names none loops from the beginning. */
function from({ start = 0 }: Judged["of"]): number {
  return start - GRACE;
}

function firstRight({ of, flags }: Judged): LoopFlag | undefined {
  return flags.find(({ turn }) => turn >= from(of));
}

function delayIn(loops: readonly Judged[]): FlagDelay | undefined {
  const delays = loops.flatMap((one) => {
    const right = firstRight(one);
    return right === undefined || one.of.start === undefined ? [] : [right.turn - one.of.start];
  });
  const sorted = delays.sort((a, b) => a - b);
  const [median, p90] = [sorted[sorted.length >> 1], sorted[Math.ceil(sorted.length * 0.9) - 1]];
  return median === undefined || p90 === undefined ? undefined : { median, p90 };
}

function harmIn(judged: readonly Judged[]): Harm {
  const hardest = judged.map(({ of, flags }) => {
    const above = flags.filter(({ turn, verdict }) => rank(verdict) > rank(allowed(of, turn)));
    return Math.max(0, ...above.map(({ verdict }) => rank(verdict)));
  });
  const count = (verdict: LoopVerdict) => hardest.filter((one) => one === rank(verdict)).length;
  return { nudge: count("nudge"), force: count("force"), end: count("end") };
}

function allowed(of: Judged["of"], turn: number): LoopVerdict {
  if (of.loops) return turn < from(of) ? "none" : "end";
  return of.worst ?? "none";
}

const rank = (verdict: LoopVerdict): number => verdicts.indexOf(verdict);

/** The names of something that conversations have, each with the score of those that have it. */
export function scoresBy(
  judged: readonly Judged[],
  nameOf: (of: Judged["of"]) => string,
): ReadonlyMap<string, LoopScore> {
  const names = [...new Set(judged.map(({ of }) => nameOf(of)))].sort();
  return new Map(names.map((name) => [name, scoreOfJudged(judged.filter(({ of }) => nameOf(of) === name))]));
}
