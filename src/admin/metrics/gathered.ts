import type { UsageLabels } from "../../proxy/proxy.ts";

/** Counter of prom-client. */
interface LabelledCounter {
  inc(labels: Readonly<Record<string, string>>, amount: number): void;
}

/** Whose an exchange is. */
export type Team = Pick<UsageLabels, "tenant" | "rule">;

/** A counter with labels, as exchanges count: sums wait here until metrics are read. */
export interface GatheredCounter {
  /** @param values of the labels, in the order of their names */
  add(amount: number, team: Team, ...values: readonly string[]): void;
  /** Puts what has been gathered into the counter. */
  settle(): void;
}

interface WaitingSum {
  readonly team: Team;
  readonly values: readonly string[];
  amount: number;
}

/** Labels of whoever an exchange is of; each has its biggest names. */
export type Teams = Readonly<Record<keyof Team, Biggest>>;

/**
 * The counter's own way to its sum goes through a hash of all labels, which costs an exchange more than counting does.
 * @param labels names of all labels but the team's
 */
export function gathered(counter: LabelledCounter, labels: readonly string[], teams: Teams): GatheredCounter {
  const waiting = new Map<string, WaitingSum>();
  return {
    add(amount, team, ...values) {
      const key = [team.tenant, team.rule, ...values].join("\u0000");
      const sum = waiting.get(key);
      if (sum !== undefined) sum.amount += amount;
      else waiting.set(key, { team, values, amount });
    },
    settle() {
      for (const { team, values, amount } of waiting.values()) {
        const named: Record<string, string> = {};
        for (const [i, label] of labels.entries()) named[label] = values[i] ?? "";
        for (const label of ["tenant", "rule"] as const)
          if (team[label] !== undefined) named[label] = teams[label].labelOf(team[label]);
        counter.inc(named, amount);
      }
      waiting.clear();
    },
  };
}

/** Which names have series of their own: those of most exchanges, as of the last look. */
interface Biggest {
  add(name: string): void;
  /** Looks again. @returns the names that have lost theirs */
  settle(): readonly string[];
  /** The name itself, or `(other)` for one without series of its own: no name in a configuration has parentheses. */
  labelOf(name: string): string;
}

/** Names that are counted at all. */
const MAX_NAMES = 10_000;

/** @param most names with series of their own */
export function biggest(most: number): Biggest {
  const sizes = new Map<string, number>();
  let shown = new Set<string>();
  return {
    add(name) {
      if (sizes.has(name) || sizes.size < MAX_NAMES) sizes.set(name, (sizes.get(name) ?? 0) + 1);
    },
    settle() {
      const ranked = [...sizes].sort(([, a], [, b]) => b - a).slice(0, most);
      const before = shown;
      shown = new Set(ranked.map(([name]) => name));
      return [...before].filter((name) => !shown.has(name));
    },
    labelOf: (name) => (shown.has(name) ? name : "(other)"),
  };
}
