import { metricDefinitions as metrics } from "../src/admin/metrics/definitions.ts";

/** One rule of Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  /** What to do about it. */
  readonly description: string;
}

const exchanges = metrics.exchanges.name;

/** What somebody should be told of. Loops themselves come by webhook, one message for each; these are about their number, and the guard. */
export const alertRules: readonly AlertRule[] = [
  {
    alert: "UnloopDown",
    expr: 'up{job=~".*unloop.*"} == 0',
    for: "2m",
    severity: "critical",
    summary: "An Unloop process does not answer",
    description: "Agents that use it get no answers. Check the pod or service and its log.",
  },
  {
    alert: "UnloopEndsManyRuns",
    expr: `sum(rate(${exchanges}{verdict="short-circuit"}[10m])) > 0.1 and sum(rate(${exchanges}{verdict="short-circuit"}[10m])) > 0.05 * sum(rate(${exchanges}[10m]))`,
    for: "10m",
    severity: "warning",
    summary: "Unloop ends one exchange in twenty",
    description: "An agent loops and keeps sending requests. The journal names its session, its tools and the loop.",
  },
  {
    alert: "UnloopInterventionsSurge",
    expr: `sum(rate(${metrics.interventions.name}[15m])) > 0.05 and sum(rate(${metrics.interventions.name}[15m])) > 5 * sum(rate(${metrics.interventions.name}[1d] offset 1h))`,
    for: "15m",
    severity: "warning",
    summary: "Five times as many interventions as usual",
    description: "A tool, a model or an agent has changed. Compare by detector, and with what was deployed.",
  },
  {
    alert: "UnloopStoreDown",
    expr: `min(${metrics.storeState.name}{state="up"}) == 0`,
    for: "5m",
    severity: "warning",
    summary: "The session store is not in use",
    description: "Requests are judged only by their own history, and budgets are not counted. Check Redis.",
  },
  {
    alert: "UnloopStoreFails",
    expr: `min(${metrics.storeState.name}{state="writable"}) == 0 or sum(rate(${metrics.storeFailures.name}[5m])) > 0.05 * sum(rate(${exchanges}[5m]))`,
    for: "5m",
    severity: "warning",
    summary: "The session store refuses writes, or fails one exchange in twenty",
    description:
      "Unloop remembers no more of a run than its history shows. A full Redis refuses writes: give it more memory, or set maxmemory-policy volatile-ttl. So does a replica: name the master.",
  },
  {
    alert: "UnloopStoreTrouble",
    expr: `max by (job, state) (${metrics.storeState.name}{state!~"up|writable"}) == 1`,
    for: "5m",
    severity: "warning",
    summary: "Redis serves, and loses or delays what it should not",
    description:
      "The label state says what: evicts-all, nearly-full, read-only or slow. The log line store-trouble and the warnings of the status have the cure.",
  },
  {
    alert: "UnloopTrafficNotRead",
    expr: `sum(rate(${exchanges}{verdict="unguarded"}[15m])) > 0.2 * sum(rate(${exchanges}[15m]))`,
    for: "30m",
    severity: "warning",
    summary: "Unloop does not understand a fifth of the guarded traffic",
    description: "An agent compresses its bodies or uses an unknown format. Its requests pass unguarded.",
  },
  {
    alert: "UnloopReplicasDisagree",
    expr: `count by (job) (count by (job, revision) (${metrics.configInfo.name})) > 1`,
    for: "10m",
    severity: "warning",
    summary: "Replicas run with different configurations",
    description:
      "The same request is treated differently by different replicas. Compare unloop_config_info by instance; a replica may have refused the file, or wait for a restart.",
  },
  {
    alert: "UnloopConfigRefused",
    expr: `${metrics.configReload.name}{result="refused"} > ignoring (result) ${metrics.configReload.name}{result="applied"}`,
    for: "5m",
    severity: "warning",
    summary: "A configuration file is refused",
    description: "The earlier configuration stays in force. The log and unloop check-config FILE name every mistake.",
  },
  {
    alert: "UnloopStalls",
    expr: 'max by (job) (nodejs_eventloop_lag_max_seconds{job=~".*unloop.*"}) > 0.5',
    for: "0m",
    severity: "warning",
    summary: "Unloop did nothing else for more than half a second",
    description: "One request held up all others, or the machine was busy: process_cpu_seconds_total tells which.",
  },
  {
    alert: "UnloopSlow",
    expr: `histogram_quantile(0.99, sum by (le) (rate(${metrics.processing.name}_bucket[5m]))) > 0.1`,
    for: "10m",
    severity: "warning",
    summary: "Unloop adds more than 100 ms",
    description: "The process is short of CPU: give it more, or run more replicas.",
  },
];
