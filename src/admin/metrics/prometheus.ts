import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Meter } from "../../proxy/proxy.ts";
import { type MetricDefinition, metricDefinitions } from "./definitions.ts";

export interface Metrics extends Meter {
  /** 1 while the session store is used, 0 while it is left alone. */
  storeUp(up: boolean): void;
  /** A configuration file was read, and taken or refused. */
  configReloaded(ok: boolean): void;
  alerted(outcome: "sent" | "lost"): void;
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Counts for Prometheus. */
export function promMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const {
    exchanges,
    untold,
    interventions,
    sessions,
    tokens,
    loopTokens,
    pollTokens,
    avoidedTokens,
    processing,
    storeFailures,
    storeUp,
    judged,
    judgeTime,
    judgeTokens,
    configReload,
    configReloadSuccess,
    alerts,
  } = metricsIn(registry);
  storeUp.set(1);
  return {
    exchange(verdict, ownSeconds, isUntold) {
      exchanges.inc({ verdict });
      if (isUntold) untold.inc();
      processing.observe(ownSeconds);
    },
    intervention: (rung, detector) => interventions.inc({ rung, detector }),
    spent(used, { policy, arm = "none" }) {
      sessions.inc({ policy, arm }, used.sessions);
      tokens.inc({ policy, arm, kind: "input" }, used.inputTokens);
      tokens.inc({ policy, arm, kind: "cached" }, used.cachedTokens);
      tokens.inc({ policy, arm, kind: "output" }, used.outputTokens);
      loopTokens.inc({ policy, arm }, used.inLoop);
      pollTokens.inc({ policy, arm }, used.polling);
      avoidedTokens.inc({ policy, arm }, used.avoided);
    },
    storeFailed: () => storeFailures.inc(),
    judged(outcome, seconds, tokens) {
      judged.inc({ outcome });
      judgeTime.observe(seconds);
      judgeTokens.inc(tokens);
    },
    storeUp: (isUp) => storeUp.set(isUp ? 1 : 0),
    configReloaded(ok) {
      const seconds = Math.floor(Date.now() / 1_000);
      configReload.set(seconds);
      if (ok) configReloadSuccess.set(seconds);
    },
    alerted: (outcome) => alerts.inc({ outcome }),
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

type Definitions = typeof metricDefinitions;
type Kinds = { counter: Counter; gauge: Gauge; histogram: Histogram };
type Collected = { readonly [Name in keyof Definitions]: Kinds[Definitions[Name]["type"]] };

/** Each definition's own collector. */
function metricsIn(registry: Registry): Collected {
  const made = Object.entries(metricDefinitions).map(([name, definition]) => [name, metricIn(registry, definition)]);
  // The table gives each name its type, and so each collector.
  return Object.fromEntries(made) as Collected;
}

function metricIn(
  registry: Registry,
  { name, type, help, labels = [], buckets = [] }: MetricDefinition,
): Counter | Gauge | Histogram {
  const described = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "counter") return new Counter(described);
  return type === "gauge" ? new Gauge(described) : new Histogram({ ...described, buckets: [...buckets] });
}
