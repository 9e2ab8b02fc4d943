import type { UsageLabels } from "../../proxy/proxy.ts";
import type { Biggest } from "./biggest.ts";

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
