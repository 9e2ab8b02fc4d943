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

/** What was added under one row of names, or under rows that begin with it. */
interface SumNode {
  /** Undefined where it only leads to others. */
  sum: WaitingSum | undefined;
  /** By the name that comes next. A name is the same string each time, so looking it up costs less than joining it with others. */
  readonly next: Map<string, SumNode>;
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
  const root = sumNode();
  let waiting: WaitingSum[] = [];
  return {
    add(amount, team, ...values) {
      let node = nodeUnder(nodeUnder(root, team.tenant ?? ""), team.rule ?? "");
      for (const value of values) node = nodeUnder(node, value);
      if (node.sum !== undefined) node.sum.amount += amount;
      else {
        node.sum = { team, values, amount };
        waiting.push(node.sum);
      }
    },
    settle() {
      for (const { team, values, amount } of waiting) {
        const named: Record<string, string> = {};
        for (const [i, label] of labels.entries()) named[label] = values[i] ?? "";
        for (const label of ["tenant", "rule"] as const)
          if (team[label] !== undefined) named[label] = teams[label].labelOf(team[label]);
        counter.inc(named, amount);
      }
      waiting = [];
      root.next.clear();
      root.sum = undefined;
    },
  };
}

const sumNode = (): SumNode => ({ sum: undefined, next: new Map() });

function nodeUnder({ next }: SumNode, name: string): SumNode {
  const known = next.get(name);
  if (known !== undefined) return known;
  const node = sumNode();
  next.set(name, node);
  return node;
}
