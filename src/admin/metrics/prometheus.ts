import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Held, Meter } from "../../proxy/proxy.ts";
import { type MetricDefinition, metricDefinitions } from "./definitions.ts";
import { gathered } from "./gathered.ts";

export interface Metrics extends Meter {
  /** Whether the session store is used, and whether it takes writes. */
  storeChanged(up: boolean, writable: boolean): void;
  /** A configuration file was read, and taken or refused. */
  configReloaded(ok: boolean): void;
  /** Another configuration is in force. */
  configured(revision: string): void;
  alerted(outcome: "sent" | "lost"): void;
  stalled(phase: string): void;
  /** Asked at each reading. */
  watch(held: () => Held): void;
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Counts for Prometheus. */
export function promMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const {
    exchanges,
    untold,
    read,
    unguarded,
    forwardedFirst,
    interventions,
    feedback,
    sessions,
    tokens,
    loopTokens,
    pollTokens,
    avoidedTokens,
    processing,
    errors,
    stalls,
    heldBytes,
    cachedSteps,
    storeFailures,
    storeUp,
    storeWritable,
    judged,
    judgeTime,
    judgeTokens,
    configInfo,
    configReload,
    configReloadSuccess,
    alerts,
  } = metricsIn(registry);
  storeUp.set(1);
  storeWritable.set(1);
  const ofExchanges = {
    exchanges: gathered(exchanges),
    read: gathered(read),
    forwardedFirst: gathered(forwardedFirst),
    sessions: gathered(sessions),
    tokens: gathered(tokens),
    loopTokens: gathered(loopTokens),
    pollTokens: gathered(pollTokens),
    avoidedTokens: gathered(avoidedTokens),
  };
  // There from the start, so that a rate has something to begin from.
  for (const code of ["overloaded", "upstream_busy", "upstream_unreachable"]) errors.inc({ code }, 0);
  for (const phase of ["parse", "judge", "tail", "other"]) stalls.inc({ phase }, 0);
  for (const outcome of ["kept", "withdrawn"]) forwardedFirst.inc({ outcome }, 0);
  let held: () => Held = () => ({ bodies: 0, store: undefined, cachedSteps: 0 });
  return {
    exchange(verdict, ownSeconds, isStepless, how) {
      ofExchanges.exchanges.add(1, verdict);
      ofExchanges.read.add(1, how);
      if (isStepless) untold.inc();
      processing.observe(ownSeconds);
    },
    passed: (endpoint) => unguarded.inc({ endpoint }),
    forwardedFirst: (outcome) => ofExchanges.forwardedFirst.add(1, outcome),
    intervention: (rung, detector) => interventions.inc({ rung, detector }),
    rated: (word, detector) => feedback.inc({ word, detector }),
    spent(used, { policy, arm = "none" }) {
      ofExchanges.sessions.add(used.sessions, policy, arm);
      ofExchanges.tokens.add(used.inputTokens, policy, arm, "input");
      ofExchanges.tokens.add(used.cachedTokens, policy, arm, "cached");
      ofExchanges.tokens.add(used.outputTokens, policy, arm, "output");
      ofExchanges.loopTokens.add(used.inLoop, policy, arm);
      ofExchanges.pollTokens.add(used.polling, policy, arm);
      ofExchanges.avoidedTokens.add(used.avoided, policy, arm);
    },
    failed: (code) => errors.inc({ code }),
    storeFailed: () => storeFailures.inc(),
    judged(outcome, seconds, tokens) {
      judged.inc({ outcome });
      if (outcome === "skipped") return;
      judgeTime.observe(seconds);
      judgeTokens.inc(tokens);
    },
    storeChanged(isUp, isWritable) {
      storeUp.set(isUp ? 1 : 0);
      storeWritable.set(isWritable ? 1 : 0);
    },
    configReloaded(ok) {
      // With milliseconds: a file may be taken and another refused within a second.
      const seconds = Date.now() / 1_000;
      configReload.set(seconds);
      if (ok) configReloadSuccess.set(seconds);
    },
    configured(revision) {
      configInfo.reset();
      configInfo.set({ revision }, 1);
    },
    alerted: (outcome) => alerts.inc({ outcome }),
    stalled: (phase) => stalls.inc({ phase }),
    watch(gauge) {
      held = gauge;
    },
    async read() {
      for (const counter of Object.values(ofExchanges)) counter.settle();
      const { bodies, store, cachedSteps: steps } = held();
      heldBytes.set({ of: "bodies" }, bodies);
      if (store !== undefined) heldBytes.set({ of: "store" }, store);
      cachedSteps.set(steps);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

type Definitions = typeof metricDefinitions;
type Kinds = { counter: Counter; gauge: Gauge; histogram: Histogram };
type Collected = { readonly [Name in keyof Definitions]: Kinds[Definitions[Name]["type"]] };

/** Each definition's own collector. */
function metricsIn(registry: Registry): Collected {
  const metrics = Object.entries(metricDefinitions).map(([name, definition]) => [name, metricIn(registry, definition)]);
  // The table gives each name its type, and so each collector.
  return Object.fromEntries(metrics) as Collected;
}

function metricIn(
  registry: Registry,
  { name, type, help, labels, buckets = [] }: MetricDefinition,
): Counter | Gauge | Histogram {
  const described = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "counter") return new Counter(described);
  return type === "gauge" ? new Gauge(described) : new Histogram({ ...described, buckets: [...buckets] });
}
