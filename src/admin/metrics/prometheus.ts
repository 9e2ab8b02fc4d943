import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Held, Meter, TokenUsage, UsageLabels } from "../../proxy/proxy.ts";
import { genAiDefinitions, type MetricDefinition, metricDefinitions, teamLabels } from "./definitions.ts";

export interface Metrics extends Meter {
  /** Whether the session store is used, and whether it takes writes. */
  storeChanged(up: boolean, writable: boolean): void;
  /** What is the matter with the store now; each one of few names. */
  storeTroubled(names: readonly string[]): void;
  /** A configuration file was read, and taken or refused. */
  configReloaded(ok: boolean): void;
  /** Another configuration is in force. */
  configured(revision: string): void;
  alerted(outcome: "sent" | "lost"): void;
  /** Exposes OpenTelemetry's GenAI metrics, too; to be asked once. */
  genAi(): Readonly<Record<keyof typeof genAiDefinitions, Histogram>>;
  /** Asked at each reading. */
  watch(held: () => Held): void;
  /** @param tenant whose series alone are wanted; undefined for all */
  read(tenant?: string): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Whose an exchange is. */
type Team = Pick<UsageLabels, "tenant" | "rule">;

/** A counter whose labels are a team's and its own. */
interface TeamCounter {
  /** @param values of its own labels, in the order of their names */
  add(amount: number, team: Team, ...values: readonly string[]): void;
}

type Kinds = { counter: TeamCounter; gauge: Gauge; histogram: Histogram };
type Collected = { readonly [Name in keyof typeof metricDefinitions]: Kinds[(typeof metricDefinitions)[Name]["type"]] };

/** Counts for Prometheus. */
export function promMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const teamOf = teamNames();
  const rows = Object.entries(metricDefinitions);
  // The table gives each name its type, and so each collector.
  const metrics = Object.fromEntries(
    rows.map(([name, definition]) => [name, collectorFor(definition, registry, teamOf)]),
  ) as Collected;
  let held: () => Held = () => ({ bodies: 0, store: undefined });
  return {
    ...ofExchanges(metrics),
    ...ofServer(metrics),
    genAi: () => ({
      tokenUsage: histogramFor(genAiDefinitions.tokenUsage, registry),
      operationDuration: histogramFor(genAiDefinitions.operationDuration, registry),
    }),
    watch(gauge) {
      held = gauge;
    },
    async read(tenant) {
      const { bodies, store } = held();
      metrics.heldBytes.set({ of: "bodies" }, bodies);
      if (store !== undefined) metrics.heldBytes.set({ of: "store" }, store);
      const text = await registry.metrics();
      return { contentType: registry.contentType, text: tenant === undefined ? text : seriesOf(text, tenant) };
    },
  };
}

/** Tenants, and rules, with series of their own. */
const MOST_NAMES = 200;

/** Labels of a team. A name behind the first two hundred is one of the others, which no name can be: none has parentheses. */
function teamNames(): (team: Team) => Record<string, string> {
  const known = { tenant: new Set<string>(), rule: new Set<string>() };
  return (team) => {
    const labels: Record<string, string> = {};
    for (const label of teamLabels) {
      const { [label]: name } = team;
      if (name === undefined) continue;
      if (known[label].size < MOST_NAMES) known[label].add(name);
      labels[label] = known[label].has(name) ? name : "(other)";
    }
    return labels;
  };
}

function histogramFor({ name, help, labels, buckets = [] }: MetricDefinition, registry: Registry): Histogram {
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] });
}

function collectorFor(
  definition: MetricDefinition,
  registry: Registry,
  teamOf: (team: Team) => Record<string, string>,
): Kinds[keyof Kinds] {
  const { name, type, help, labels, starts = [] } = definition;
  const described = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "histogram") return histogramFor(definition, registry);
  const own = labels.filter((label) => !teamLabels.some((one) => one === label));
  const labelled = (values: readonly string[]) => Object.fromEntries(own.map((label, i) => [label, values[i] ?? ""]));
  if (type === "gauge") {
    const gauge = new Gauge(described);
    for (const value of starts) gauge.set(labelled([value]), 0);
    return gauge;
  }
  const counter = new Counter(described);
  for (const value of starts) counter.inc(labelled([value]), 0);
  return { add: (amount, team, ...values) => counter.inc({ ...labelled(values), ...teamOf(team) }, amount) };
}

/** Where each kind of what was used up is counted. */
const SPENT = [
  { metric: "sessions", field: "sessions", kind: [] },
  { metric: "tokens", field: "inputTokens", kind: ["input"] },
  { metric: "tokens", field: "cachedTokens", kind: ["cached"] },
  { metric: "tokens", field: "outputTokens", kind: ["output"] },
  { metric: "loopTokens", field: "inLoop", kind: [] },
  { metric: "avoidedTokens", field: "avoided", kind: [] },
  { metric: "keptBack", field: "keptBack", kind: [] },
] as const satisfies readonly { metric: keyof Collected; field: keyof TokenUsage; kind: readonly string[] }[];

const NO_TEAM: Team = {};

function ofExchanges(metrics: Collected): Meter {
  const { exchanges, untold, processing, unguarded, changesRefused, interventions, feedback } = metrics;
  return {
    exchange(verdict, ownSeconds, isStepless, _read, team = NO_TEAM) {
      exchanges.add(1, team, verdict);
      if (isStepless) untold.add(1, NO_TEAM);
      processing.observe(ownSeconds);
    },
    upstreamFailed: (status, team = NO_TEAM) => metrics.upstreamErrors.add(1, team, status),
    passed: (endpoint) => unguarded.add(1, NO_TEAM, endpoint),
    changeRefused: (instead) => changesRefused.add(1, NO_TEAM, instead),
    intervention: (rung, detector, team = NO_TEAM) => interventions.add(1, team, rung, detector),
    rated: (word, detector) => feedback.add(1, NO_TEAM, word, detector),
    spent(used, team) {
      const { policy, arm = "none" } = team;
      for (const { metric, field, kind } of SPENT) metrics[metric].add(used[field], team, policy, arm, ...kind);
    },
    failed: (code) => metrics.errors.add(1, NO_TEAM, code),
    storeFailed: () => metrics.storeFailures.add(1, NO_TEAM),
    judged(outcome, seconds) {
      metrics.judged.add(1, NO_TEAM, outcome);
      if (outcome !== "skipped") metrics.judgeTime.observe(seconds);
    },
  };
}

function ofServer(metrics: Collected): Omit<Metrics, keyof Meter | "genAi" | "watch" | "read"> {
  const setState = (state: string, holds: boolean) => metrics.storeState.set({ state }, holds ? 1 : 0);
  setState("up", true);
  setState("writable", true);
  return {
    storeChanged(isUp, isWritable) {
      setState("up", isUp);
      setState("writable", isWritable);
    },
    storeTroubled(names) {
      for (const trouble of metricDefinitions.storeState.starts)
        if (trouble !== "up" && trouble !== "writable") setState(trouble, names.includes(trouble));
    },
    configReloaded(ok) {
      // With milliseconds: a file may be taken and another refused within a second.
      const seconds = Date.now() / 1_000;
      metrics.configReload.set({ result: ok ? "applied" : "refused" }, seconds);
    },
    configured(revision) {
      metrics.configInfo.reset();
      metrics.configInfo.set({ revision }, 1);
    },
    alerted: (outcome) => metrics.alerts.add(1, NO_TEAM, outcome),
  };
}

/** The lines of one tenant, with what Prometheus has to know of them. */
function seriesOf(text: string, tenant: string): string {
  const label = `tenant=${JSON.stringify(tenant)}`;
  const families = text.split(/\n(?=# HELP)/).flatMap((family) => {
    const lines = family.split("\n");
    const own = lines.filter((line) => !line.startsWith("#") && /[{,](tenant="[^"]*")/.exec(line)?.[1] === label);
    return own.length === 0 ? [] : [...lines.filter((line) => line.startsWith("#")), ...own];
  });
  return `${families.join("\n")}\n`;
}
