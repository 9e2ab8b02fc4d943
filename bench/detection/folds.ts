import { scoreOf, type SessionScore } from "./score.ts";
import type { Variant } from "./sweep.ts";
import type { Verdict } from "./verdict.ts";

/** What the choice of counts owes to single sources. */
export interface Folds {
  /** The counts as they are, with one source left out at a time. */
  readonly withoutOne: readonly Fold[];
  /** Each source judged by the counts that are best on all others, put together. */
  readonly crossChosen: SessionScore;
  /** Which counts those were, and for how many sources. */
  readonly chosen: Readonly<Record<string, number>>;
}

export interface Fold {
  readonly family: string;
  readonly score: SessionScore;
}

/** What the counts are chosen for: the most loops, as long as healthy runs are left alone. Shares of healthy runs. */
const AIMS = { flagged: 0.005, intervened: 0.001 };

export function foldsOf(variants: readonly Variant[]): Folds | undefined {
  const [standard] = variants;
  const sessions = standard?.verdicts.sessions?.filter(({ of }) => of.counts);
  if (sessions === undefined) return undefined;
  const families = [...new Set(sessions.map(({ of }) => of.family))].sort();
  const choices = families.map((family) => ({ family, variant: bestWithout(family, variants) }));
  const judged = choices.flatMap(({ family, variant }) => random(variant).filter(({ of }) => of.family === family));
  const chosen: Record<string, number> = {};
  for (const { variant } of choices) chosen[variant.name] = (chosen[variant.name] ?? 0) + 1;
  return {
    withoutOne: families.map((family) => ({
      family,
      score: scoreOf(sessions.filter(({ of }) => of.family !== family)),
    })),
    crossChosen: scoreOf(judged),
    chosen,
  };
}

function random({ verdicts }: Variant): readonly Verdict[] {
  return (verdicts.sessions ?? []).filter(({ of }) => of.counts);
}

/** Of equals the first: the counts as they are. */
function bestWithout(family: string, variants: readonly Variant[]): Variant {
  const [first, ...others] = variants.map((variant) => ({
    variant,
    score: scoreOf(random(variant).filter(({ of }) => of.family !== family)),
  }));
  if (first === undefined) throw new Error("No counts to choose among.");
  return others.reduce((best, one) => (isBetter(one.score, best.score) ? one : best), first).variant;
}

function isBetter(a: SessionScore, b: SessionScore): boolean {
  if (keepsAims(a) !== keepsAims(b)) return keepsAims(a);
  const loops = foundInTime(a) - foundInTime(b);
  return loops === 0 ? a.flagged.part < b.flagged.part : loops > 0;
}

const foundInTime = ({ found, early }: SessionScore): number => found.part - early.part;

function keepsAims({ flagged, intervened }: SessionScore): boolean {
  return flagged.part <= AIMS.flagged * flagged.whole && intervened.part <= AIMS.intervened * intervened.whole;
}
