import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { UsageLabels } from "../../proxy/proxy.ts";
import { genAiDefinitions, type MetricDefinition, metricDefinitions, teamLabels } from "./definitions.ts";

type Definitions = typeof metricDefinitions;
type Kinds = { counter: GatheredCounter; gauge: Gauge; histogram: Histogram };
/** Each definition's own collector. */
export type Collected = { readonly [Name in keyof Definitions]: Kinds[Definitions[Name]["type"]] };

/** A collector for each row of the table, and what they show. */
export interface Collectors {
  readonly metrics: Collected;
  /** OpenTelemetry's metrics, from now on exposed, too. */
  genAi(): Readonly<Record<keyof typeof genAiDefinitions, Histogram>>;
  /** An exchange of this team; the biggest have series of their own. */
  noteTeam(team: Team): void;
  /** All series, as Prometheus reads them. */
  exposed(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Tenants, and rules, that have series of their own. */
const MOST_SHOWN = 50;

export function collectors(): Collectors {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const teams: Teams = { tenant: biggest(MOST_SHOWN), rule: biggest(MOST_SHOWN) };
  const made = Object.entries(metricDefinitions).map(
    ([name, definition]) => [name, collectorFor(definition, registry, teams)] as const,
  );
  const counters = made.flatMap(([, { counter }]) => counter ?? []);
  return {
    // The table gives each name its type, and so each collector.
    metrics: Object.fromEntries(made.map(([name, { collector }]) => [name, collector])) as Collected,
    noteTeam(team) {
      for (const label of teamLabels) if (team[label] !== undefined) teams[label].add(team[label]);
    },
    genAi: () => ({
      tokenUsage: histogramFor(genAiDefinitions.tokenUsage, registry),
      operationDuration: histogramFor(genAiDefinitions.operationDuration, registry),
    }),
    async exposed() {
      for (const label of teamLabels)
        for (const name of teams[label].settle())
          for (const counter of counters) await removeSeries(counter.shown, label, name);
      for (const { settle } of counters) settle();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

interface Collector {
  readonly collector: Kinds[keyof Kinds];
  /** Of what is gathered, where it is shown. */
  readonly counter?: Pick<GatheredCounter, "settle"> & { readonly shown: Counter };
}

function histogramFor({ name, help, labels, buckets = [] }: MetricDefinition, registry: Registry): Histogram {
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] });
}

function collectorFor(definition: MetricDefinition, registry: Registry, teams: Teams): Collector {
  const { name, type, help, labels, starts = [] } = definition;
  const described = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "gauge") {
    const collector = new Gauge(described);
    for (const value of starts) collector.set({ [labels[0] ?? ""]: value }, 0);
    return { collector };
  }
  if (type === "histogram") return { collector: histogramFor(definition, registry) };
  const shown = new Counter(described);
  const own = labels.filter((label) => !teamLabels.some((one) => one === label));
  const collector = gathered(shown, own, teams);
  for (const value of starts) collector.add(0, {}, value);
  return { collector, counter: { settle: collector.settle, shown } };
}

/** Of a name that is one of the others from now on. */
async function removeSeries(counter: Counter, label: string, name: string): Promise<void> {
  for (const { labels } of (await counter.get()).values) if (labels[label] === name) counter.remove(labels);
}

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
