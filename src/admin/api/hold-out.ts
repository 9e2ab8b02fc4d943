/** Sums over the sessions of one group of one side of a rollout. */
export interface GroupSums {
  readonly sessions: number;
  /** Mean amount of the compared quantity, such as tokens. */
  readonly amount: number;
}

/** Difference between sessions with and without enforcement, with its confidence interval. */
export interface HoldOutDifference {
  readonly enforced: number;
  readonly heldOut: number;
  readonly difference: number;
  /** Lower bound of the 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
}

/** Fewer say nothing. Sessions on a side, and groups that have any. */
const LEAST_SESSIONS = 30;
const LEAST_GROUPS = 4;

/** Student's t at 97.5 %, from 6 degrees of freedom on; there are never more than 14. */
const T_975 = [2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145];

/**
 * The mean of a session on either side, and their difference, with an interval by the jackknife: each group is left out
 * in turn, and how far that moves the mean tells how much it owes to chance.
 * @returns undefined where either side has too few sessions for that
 */
export function holdOutDifference(
  enforced: readonly GroupSums[],
  heldOut: readonly GroupSums[],
): HoldOutDifference | undefined {
  const [a, b] = [meanOf(enforced), meanOf(heldOut)];
  if (a === undefined || b === undefined) return undefined;
  const freedom = a.groups + b.groups - 2;
  const t = T_975[Math.min(freedom - 6, T_975.length - 1)] ?? Number.NaN;
  const reach = t * Math.sqrt(a.variance + b.variance);
  const difference = b.mean - a.mean;
  return { enforced: a.mean, heldOut: b.mean, difference, low: difference - reach, high: difference + reach };
}

function meanOf(groups: readonly GroupSums[]) {
  const filled = groups.filter(({ sessions }) => sessions > 0);
  const all = total(groups);
  if (all.sessions < LEAST_SESSIONS || filled.length < LEAST_GROUPS) return undefined;
  const without = filled.map(({ sessions, amount }) => (all.amount - amount) / (all.sessions - sessions));
  const middle = without.reduce((sum, one) => sum + one, 0) / without.length;
  const spread = without.reduce((sum, one) => sum + (one - middle) ** 2, 0);
  const { length } = filled;
  return { mean: all.amount / all.sessions, variance: (spread * (length - 1)) / length, groups: length };
}

function total(groups: readonly GroupSums[]): GroupSums {
  return groups.reduce(
    (sum, { sessions, amount }) => ({ sessions: sum.sessions + sessions, amount: sum.amount + amount }),
    { sessions: 0, amount: 0 },
  );
}
