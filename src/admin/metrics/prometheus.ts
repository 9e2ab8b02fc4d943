import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Held, Meter } from "../../proxy/proxy.ts";
import { biggest } from "./biggest.ts";
import { type MetricDefinition, metricDefinitions, teamLabels } from "./definitions.ts";
import { gathered } from "./gathered.ts";

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
  stalled(phase: string): void;
  /** Asked at each reading. */
  watch(held: () => Held): void;
  /** @param tenant whose series alone are wanted; undefined for all */
  read(tenant?: string): Promise<{ readonly contentType: string; readonly text: string }>;
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
    storeTroubles,
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
  const teams = { tenant: biggest(MOST_SHOWN), rule: biggest(MOST_SHOWN) };
  const byTeam = (counter: Counter, { labels }: MetricDefinition) =>
    gathered(
      counter,
      labels.filter((label) => !isTeamLabel(label)),
      teams,
    );
  const ofExchanges = {
    exchanges: byTeam(exchanges, metricDefinitions.exchanges),
    interventions: byTeam(interventions, metricDefinitions.interventions),
    read: byTeam(read, metricDefinitions.read),
    forwardedFirst: byTeam(forwardedFirst, metricDefinitions.forwardedFirst),
    sessions: byTeam(sessions, metricDefinitions.sessions),
    tokens: byTeam(tokens, metricDefinitions.tokens),
    loopTokens: byTeam(loopTokens, metricDefinitions.loopTokens),
    pollTokens: byTeam(pollTokens, metricDefinitions.pollTokens),
    avoidedTokens: byTeam(avoidedTokens, metricDefinitions.avoidedTokens),
  };
  const ofTeams = [exchanges, interventions, sessions, tokens, loopTokens, pollTokens, avoidedTokens];
  // There from the start, so that a rate has something to begin from.
  for (const code of ["overloaded", "upstream_busy", "upstream_unreachable"]) errors.inc({ code }, 0);
  for (const phase of ["parse", "judge", "tail", "other"]) stalls.inc({ phase }, 0);
  for (const outcome of ["kept", "withdrawn"]) forwardedFirst.inc({ outcome }, 0);
  let held: () => Held = () => ({ bodies: 0, store: undefined, cachedSteps: 0 });
  return {
    exchange(verdict, ownSeconds, isStepless, how, team = {}) {
      for (const label of teamLabels) if (team[label] !== undefined) teams[label].add(team[label]);
      ofExchanges.exchanges.add(1, team, verdict);
      ofExchanges.read.add(1, NO_TEAM, how);
      if (isStepless) untold.inc();
      processing.observe(ownSeconds);
    },
    passed: (endpoint) => unguarded.inc({ endpoint }),
    forwardedFirst: (outcome) => ofExchanges.forwardedFirst.add(1, NO_TEAM, outcome),
    intervention: (rung, detector, team = NO_TEAM) => ofExchanges.interventions.add(1, team, rung, detector),
    rated: (word, detector) => feedback.inc({ word, detector }),
    spent(used, team) {
      const { policy, arm = "none" } = team;
      ofExchanges.sessions.add(used.sessions, team, policy, arm);
      ofExchanges.tokens.add(used.inputTokens, team, policy, arm, "input");
      ofExchanges.tokens.add(used.cachedTokens, team, policy, arm, "cached");
      ofExchanges.tokens.add(used.outputTokens, team, policy, arm, "output");
      ofExchanges.loopTokens.add(used.inLoop, team, policy, arm);
      ofExchanges.pollTokens.add(used.polling, team, policy, arm);
      ofExchanges.avoidedTokens.add(used.avoided, team, policy, arm);
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
    storeTroubled(names) {
      storeTroubles.reset();
      for (const trouble of names) storeTroubles.set({ trouble }, 1);
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
    async read(tenant) {
      for (const label of teamLabels)
        for (const name of teams[label].settle())
          for (const counter of ofTeams) await removeSeries(counter, label, name);
      for (const counter of Object.values(ofExchanges)) counter.settle();
      const { bodies, store, cachedSteps: steps } = held();
      heldBytes.set({ of: "bodies" }, bodies);
      if (store !== undefined) heldBytes.set({ of: "store" }, store);
      cachedSteps.set(steps);
      const text = await registry.metrics();
      return { contentType: registry.contentType, text: tenant === undefined ? text : seriesOf(text, tenant) };
    },
  };
}

/** Tenants, and rules, that have series of their own. */
const MOST_SHOWN = 50;
const NO_TEAM = {};
const isTeamLabel = (label: string): boolean => teamLabels.some((one) => one === label);

/** Of a name that is one of the others from now on. */
async function removeSeries(counter: Counter, label: string, name: string): Promise<void> {
  for (const { labels } of (await counter.get()).values) if (labels[label] === name) counter.remove(labels);
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
