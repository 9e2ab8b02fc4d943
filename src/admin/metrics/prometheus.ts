import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Guard, Meter, TokenUsage, UsageLabels } from "../../proxy/proxy.ts";
import { boundedNames, type MetricDefinition, metricDefinitions, teamLabels } from "./definitions.ts";

export type Metrics = ReturnType<typeof promMetrics>;

type Team = Pick<UsageLabels, "tenant" | "rule">;

type Kinds = { counter: Counter; gauge: Gauge; histogram: Histogram };
type Collected = { readonly [Name in keyof typeof metricDefinitions]: Kinds[(typeof metricDefinitions)[Name]["type"]] };

export function promMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // The table gives each name its type, and so each collector.
  const metrics = Object.fromEntries(
    Object.entries(metricDefinitions).map(([name, definition]) => [name, collectorFor(definition, registry)]),
  ) as unknown as Collected;
  let held: Guard["held"] = () => ({ bodies: 0, store: undefined });
  return {
    ...ofExchanges(metrics),
    ...ofServer(metrics),
    watch(gauge: Guard["held"]): void {
      held = gauge;
    },
    /** @param tenant whose series alone are wanted; undefined for all */
    async read(tenant?: string) {
      const { bodies, store } = held();
      metrics.heldBytes.set({ of: "bodies" }, bodies);
      if (store !== undefined) metrics.heldBytes.set({ of: "store" }, store);
      const text = await registry.metrics();
      return { contentType: registry.contentType, text: tenant === undefined ? text : seriesOf(text, tenant) };
    },
  };
}

const MOST_NAMES = 200;

function teamNames(): (team: Team | undefined) => Record<string, string> {
  const shown = { tenant: boundedNames(MOST_NAMES), rule: boundedNames(MOST_NAMES) };
  return (team = {}) => {
    const labels: Record<string, string> = {};
    for (const label of teamLabels) {
      const { [label]: name } = team;
      if (name !== undefined) labels[label] = shown[label](name);
    }
    return labels;
  };
}

function collectorFor(definition: MetricDefinition, registry: Registry): Kinds[keyof Kinds] {
  const { name, type, help, labels, starts = [], buckets = [] } = definition;
  const described = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "histogram") return new Histogram({ ...described, buckets: [...buckets] });
  const collector = type === "gauge" ? new Gauge(described) : new Counter(described);
  for (const value of starts) collector.inc({ [labels[0] ?? ""]: value }, 0);
  return collector;
}

const SPENT = [
  { metric: "threads", field: "threads", kind: {} },
  { metric: "tokens", field: "inputTokens", kind: { kind: "input" } },
  { metric: "tokens", field: "cachedTokens", kind: { kind: "cached" } },
  { metric: "tokens", field: "outputTokens", kind: { kind: "output" } },
  { metric: "loopTokens", field: "inLoop", kind: {} },
  { metric: "avoidedTokens", field: "avoided", kind: {} },
  { metric: "keptBack", field: "keptBack", kind: {} },
] as const satisfies readonly { metric: keyof Collected; field: keyof TokenUsage; kind: { kind?: string } }[];

function ofExchanges(metrics: Collected): Meter {
  const teamOf = teamNames();
  return {
    exchange(verdict, ownSeconds, isStepless, _read, team) {
      metrics.exchanges.inc({ verdict, ...teamOf(team) });
      if (isStepless) metrics.untold.inc();
      metrics.processing.observe(ownSeconds);
    },
    upstreamFailed: (status, team) => metrics.upstreamErrors.inc({ status, ...teamOf(team) }),
    passed: (endpoint) => metrics.unguarded.inc({ endpoint }),
    changeRefused: (instead) => metrics.changesRefused.inc({ instead }),
    intervention: (rung, detector, team) => metrics.interventions.inc({ rung, detector, ...teamOf(team) }),
    rated: (word, detector) => metrics.feedback.inc({ word, detector }),
    spent(used, team) {
      const { policy, arm = "none" } = team;
      const labels = { policy, arm, ...teamOf(team) };
      for (const { metric, field, kind } of SPENT) metrics[metric].inc({ ...labels, ...kind }, used[field]);
    },
    failed: (code) => metrics.errors.inc({ code }),
    storeFailed: () => metrics.storeFailures.inc(),
    judged(outcome, seconds) {
      metrics.judged.inc({ outcome });
      if (outcome !== "skipped") metrics.judgeTime.observe(seconds);
    },
  };
}

function ofServer(metrics: Collected) {
  const setState = (state: string, holds: boolean) => metrics.storeState.set({ state }, holds ? 1 : 0);
  setState("up", true);
  setState("writable", true);
  return {
    storeChanged(isUp: boolean, isWritable: boolean): void {
      setState("up", isUp);
      setState("writable", isWritable);
    },
    storeTroubled(names: readonly string[]): void {
      for (const trouble of metricDefinitions.storeState.starts)
        if (trouble !== "up" && trouble !== "writable") setState(trouble, names.includes(trouble));
    },
    configReloaded(ok: boolean): void {
      // With milliseconds: a file may be taken and another refused within a second.
      const seconds = Date.now() / 1_000;
      metrics.configReload.set({ result: ok ? "applied" : "refused" }, seconds);
    },
    configured(revision: string): void {
      metrics.configInfo.reset();
      metrics.configInfo.set({ revision }, 1);
    },
    alerted: (outcome: "sent" | "lost") => metrics.alerts.inc({ outcome }),
  };
}

function seriesOf(text: string, tenant: string): string {
  const label = `tenant=${JSON.stringify(tenant)}`;
  const families = text.split(/\n(?=# HELP)/).flatMap((family) => {
    const lines = family.split("\n");
    const own = lines.filter((line) => !line.startsWith("#") && /[{,](tenant="[^"]*")/.exec(line)?.[1] === label);
    return own.length === 0 ? [] : [...lines.filter((line) => line.startsWith("#")), ...own];
  });
  return `${families.join("\n")}\n`;
}
