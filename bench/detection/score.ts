import type { Rung } from "../../src/policy/policy.ts";
import { type Share, shareOf } from "./interval.ts";
import { hardest, isWrong, type Verdict } from "./verdict.ts";

/** Conversations by the hardest thing that was done to them. */
export type ByRung = Readonly<Record<Rung, number>>;

export interface SessionScore {
  readonly healthy: number;
  /** With any flag at all; `healthyBy` has the same conversations apart. */
  readonly flagged: Share;
  readonly healthyBy: ByRung;
  readonly loops: number;
  readonly found: Share;
  readonly foundBy: ByRung;
  readonly early: Share;
  readonly delay: Delay | undefined;
}

/** Turns from the label's start to the first flag that is right. */
export interface Delay {
  readonly median: number;
  readonly p90: number;
  readonly most: number;
  /** Found loops that were seen at the label's turn, or one before. */
  readonly atOnce: Share;
}

export interface CaseScore {
  readonly found: Share;
  readonly flagged: Share;
}

export interface ThreadScore extends CaseScore {
  /** More was done than can be argued for, healthy cases that are no hard ones included. */
  readonly tooHard: Share;
}

/** One rule over everything; rates are over what was drawn at random, groups over all. */
export interface Measured {
  readonly name: string;
  readonly cases: CaseScore;
  readonly threads: ThreadScore | undefined;
  readonly sessions: SessionScore | undefined;
  readonly kinds: readonly Group[];
  readonly families: readonly Group[];
  readonly mistakes: readonly Mistake[];
}

export interface Group {
  readonly name: string;
  readonly random: SessionScore;
  readonly all: SessionScore;
}

export interface Mistake {
  readonly id: string;
  readonly family: string;
  readonly kind: string;
  readonly counts: boolean;
  readonly start: number | undefined;
  readonly what: "missed" | "early" | "flagged";
  readonly flags: Verdict["flags"];
}

export interface Verdicts {
  readonly cases: readonly Verdict[];
  readonly threads?: readonly Verdict[] | undefined;
  readonly sessions: readonly Verdict[] | undefined;
}

export function measured(name: string, { cases, threads, sessions }: Verdicts): Measured {
  const all = sessions ?? [];
  const random = all.filter(({ of }) => of.counts);
  return {
    name,
    cases: scoreOfCases(cases),
    threads: threads && threadScore(threads),
    sessions: sessions && scoreOf(random),
    kinds: groups(
      all.filter(({ of }) => of.loops),
      ({ of }) => of.kind,
    ),
    families: groups(all, ({ of }) => of.family),
    mistakes: [...cases.filter(isWrongCase), ...(threads ?? []).filter(isWrongCase), ...all.filter(isWrong)].map(
      mistake,
    ),
  };
}

export function scoreOf(verdicts: readonly Verdict[]): SessionScore {
  const healthy = verdicts.filter(({ of }) => !of.loops);
  const loops = verdicts.filter(({ of }) => of.loops);
  const found = loops.filter(({ right }) => right.length > 0);
  const healthyBy = byRung(healthy.map(({ wrong }) => hardest(wrong)));
  return {
    healthy: healthy.length,
    flagged: shareOf(healthy.filter(({ flags }) => flags.length > 0).length, healthy.length),
    healthyBy,
    loops: loops.length,
    found: shareOf(found.length, loops.length),
    foundBy: byRung(found.map(({ right }) => hardest(right))),
    early: shareOf(loops.filter(({ wrong }) => wrong.length > 0).length, loops.length),
    delay: delayOf(found.flatMap(({ delay }) => (delay === undefined ? [] : [delay]))),
  };
}

function byRung(highest: readonly (Rung | undefined)[]): ByRung {
  const count = (rung: Rung): number => highest.filter((one) => one === rung).length;
  return { nudge: count("nudge"), "force-done": count("force-done"), "short-circuit": count("short-circuit") };
}

function delayOf(delays: readonly number[]): Delay | undefined {
  const sorted = [...delays].sort((a, b) => a - b);
  const [median, p90, most] = [sorted[sorted.length >> 1], sorted[Math.ceil(sorted.length * 0.9) - 1], sorted.at(-1)];
  if (median === undefined || p90 === undefined || most === undefined) return undefined;
  return { median, p90, most, atOnce: shareOf(sorted.filter((delay) => delay <= 0).length, sorted.length) };
}

/** Only the hard ones count; any flag does, for a case is short and about one thing. */
export function scoreOfCases(cases: readonly Verdict[]): CaseScore {
  const hard = cases.filter(({ of }) => of.counts);
  const flagged = (loops: boolean): Share => {
    const some = hard.filter(({ of }) => of.loops === loops);
    return shareOf(some.filter(({ flags }) => flags.length > 0).length, some.length);
  };
  return { found: flagged(true), flagged: flagged(false) };
}

function threadScore(verdicts: readonly Verdict[]): ThreadScore {
  const bounded = verdicts.filter(({ of }) => of.worst !== undefined);
  return {
    ...scoreOfCases(verdicts),
    tooHard: shareOf(bounded.filter(({ flags }) => flags.some(({ rung }) => rung !== "nudge")).length, bounded.length),
  };
}

function isWrongCase({ of, flags }: Verdict): boolean {
  return flags.length > 0 !== of.loops;
}

function groups(verdicts: readonly Verdict[], nameOf: (verdict: Verdict) => string): readonly Group[] {
  const names = [...new Set(verdicts.map(nameOf))].sort();
  return names.map((name) => {
    const own = verdicts.filter((verdict) => nameOf(verdict) === name);
    return { name, random: scoreOf(own.filter(({ of }) => of.counts)), all: scoreOf(own) };
  });
}

function mistake({ of, flags, wrong }: Verdict): Mistake {
  const { id, family, kind, counts, start } = of;
  return { id, family, kind, counts, start, what: whatIsWrong(of.loops, wrong.length > 0), flags };
}

function whatIsWrong(loops: boolean, tooSoon: boolean): Mistake["what"] {
  if (!loops) return "flagged";
  return tooSoon ? "early" : "missed";
}
