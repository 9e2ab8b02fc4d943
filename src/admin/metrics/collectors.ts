import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { biggest, gathered, type GatheredCounter, type Team, type Teams } from "./gathered.ts";
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
